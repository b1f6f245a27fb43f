// Selects paths, draws graphs, searches, and switches the theme, in pages that are complete without it but for these.
"use strict";

(() => {
	const root = document.documentElement;
	const storage = (f) => { try { return f(localStorage); } catch { return null; } }; // files may have none

	// The theme is set before anything is painted; unset it is what the system says.
	const themes = ["system", "light", "dark"];
	let theme = storage((s) => s.getItem("theme"));
	if (!themes.includes(theme)) theme = "system";
	function setTheme(name) {
		theme = name;
		if (name === "system") delete root.dataset.theme; else root.dataset.theme = name;
		storage((s) => s.setItem("theme", name));
		const button = document.getElementById("theme");
		if (button) {
			button.hidden = false;
			button.textContent = "Theme: " + name;
		}
	}
	function nextTheme() { setTheme(themes[(themes.indexOf(theme) + 1) % themes.length]); }
	root.classList.add("scripted");
	setTheme(theme);

	const grouped = (n) => n.toLocaleString("en-US");
	const svg = (tag, attributes, ...children) => {
		const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		e.append(...children);
		return e;
	};
	const html = (tag, className, text) => {
		const e = document.createElement(tag);
		e.className = className;
		e.textContent = text;
		return e;
	};

	// A Fn is a function on the page: an element with its paths, its source, and its graph as JSON.
	class Fn {
		constructor(element) {
			this.element = element;
			this.data = JSON.parse(element.querySelector(".data").textContent);
			this.back = new Set(this.data.back);
			this.rows = [...element.querySelectorAll("tr[data-path]")];
			this.source = element.querySelector(".source");
			this.selected = null;
			this.filter = null;
			this.listen();
			this.show("source", true);
			const current = element.querySelector("tr[data-path] a[aria-current]");
			if (current) this.select(current.closest("tr").dataset.path, true);
			if (document.body.dataset.live) this.follow();
		}

		listen() {
			for (const row of this.rows) {
				row.addEventListener("click", (event) => {
					if (event.ctrlKey || event.metaKey || event.shiftKey) return; // opens the link elsewhere
					event.preventDefault();
					this.select(row.dataset.path === this.selected ? null : row.dataset.path);
				});
			}
			for (const button of this.element.querySelectorAll("[data-view]")) {
				button.addEventListener("click", () => this.show(button.dataset.view));
			}
			for (const link of this.element.querySelectorAll("[data-line]")) {
				link.addEventListener("click", (event) => {
					event.preventDefault();
					this.goTo(link.dataset.line);
				});
			}
			const through = this.element.querySelector(".through button");
			through?.addEventListener("click", () => this.filterBy(null));
			this.source?.addEventListener("click", (event) => {
				const cell = event.target.closest(".x");
				if (cell && cell.textContent) this.filterBy(cell.parentElement.dataset.l === this.filter ? null : cell.parentElement.dataset.l);
			});
			for (const cell of this.source?.querySelectorAll(".x") ?? []) {
				if (cell.textContent) cell.title = "Paths through line " + cell.parentElement.dataset.l;
			}
		}

		// show shows one of the views: the source, the graph, or the holes.
		show(view, quiet) {
			for (const section of this.element.querySelectorAll("[data-is]")) section.hidden = section.dataset.is !== view;
			for (const button of this.element.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", button.dataset.view === view);
			const split = this.element.querySelector(".split");
			if (!quiet && split.getBoundingClientRect().top < 0) split.scrollIntoView();
			if (view === "graph") this.draw();
		}

		// goTo shows a line of the source.
		goTo(line) {
			this.show("source", true);
			const row = this.source?.querySelector(`tr[data-l="${line}"]`);
			if (!row) return;
			row.scrollIntoView({block: "center"});
			for (const old of this.source.querySelectorAll(".flash")) old.classList.remove("flash");
			row.classList.add("flash");
		}

		// follow shows the line that the address has, or the paths through it.
		follow() {
			const line = new URL(location).searchParams.get("line");
			const shown = location.hash.match(/^#L(\d+)$/)?.[1] ?? line;
			if (line && this.source?.querySelector(`tr[data-l="${CSS.escape(line)}"]`)) this.filterBy(line);
			if (shown) this.goTo(CSS.escape(shown));
		}

		// blocks returns the blocks on a path, in order.
		blocks(path) { return [path.start, ...path.edges.map((id) => this.data.edges[id][1])]; }

		// filterBy lists only the paths that come to a line; all for null.
		filterBy(line) {
			this.filter = line;
			const through = this.element.querySelector(".through");
			through.hidden = line === null;
			through.firstElementChild.textContent = `through line ${line} ✕`;
			const here = new Set();
			if (line !== null) {
				for (const part of this.source.querySelectorAll(`tr[data-l="${line}"] [data-b]`)) here.add(+part.dataset.b);
			}
			for (const row of this.rows) row.hidden = line !== null && !this.blocks(this.data.paths[row.dataset.path]).some((b) => here.has(b));
			for (const row of this.source?.querySelectorAll("tr") ?? []) row.classList.toggle("at", row.dataset.l === line);
		}

		// select draws a path, or none for null, through the source and the graph.
		select(id, quiet) {
			if (id !== null && !this.data.paths[id]) return; // it is not among those that are listed
			this.selected = id;
			for (const row of this.rows) {
				const current = row.dataset.path === id;
				row.classList.toggle("current", current);
				const link = row.querySelector("a");
				if (current) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
				if (current) row.scrollIntoView({block: "nearest"});
			}
			const path = id === null ? null : this.data.paths[id];
			this.drawSource(path);
			this.drawPath(path);
			const which = this.element.querySelector(".which");
			const trees = [...this.element.querySelectorAll("[data-callers]")];
			for (const tree of trees) tree.hidden = tree.dataset.callers !== (id ?? "");
			if (which) which.textContent = id === null ? "all paths" : "path " + id;
			const row = this.rows.find((r) => r.dataset.path === id);
			this.element.querySelector(".status").textContent = row ? row.querySelector("a").title : "No path selected";
			if (!quiet && document.body.dataset.live) {
				const url = new URL(location);
				if (id === null) url.searchParams.delete("path"); else url.searchParams.set("path", id);
				history.replaceState(null, "", url);
			}
		}

		drawSource(path) {
			if (!this.source) return;
			this.source.classList.toggle("chosen", path !== null);
			for (const e of this.source.querySelectorAll(".on, .between, .first, .last")) e.classList.remove("on", "between", "first", "last");
			for (const e of this.source.querySelectorAll(".track b, .chips")) e.remove();
			if (path === null) return;
			const places = new Map(); // the parts of the source by block
			for (const part of this.source.querySelectorAll("[data-b]")) {
				const block = +part.dataset.b;
				if (!places.has(block)) places.set(block, []);
				if (part.textContent.trim()) places.get(block).push(part);
			}
			const blocks = this.blocks(path);
			const rows = new Set();
			let number = 0;
			blocks.forEach((block, i) => {
				const parts = places.get(block) ?? [];
				if (!parts.length) return;
				number++;
				this.mark(parts[0].closest("tr"), number, i === blocks.length - 1 && this.ends(path));
				for (const part of parts) {
					part.classList.add("on");
					rows.add(part.closest("tr"));
				}
			});
			let last; // row that the path has come to: blocks without source have none
			for (const id of path.edges) {
				const parts = places.get(this.data.edges[id][0]);
				if (parts?.length) last = parts[parts.length - 1].closest("tr");
				this.chip(id, last);
			}
			this.join([...rows]);
		}

		// ends tells whether a path ends at a loop header, which is where it goes on, not where it has been twice.
		ends(path) { return this.back.has(path.edges[path.edges.length - 1]); }

		// mark writes the number of a step beside its line.
		mark(row, number, again) {
			const track = row.querySelector(".track");
			let b = track.querySelector("b");
			if (!b) track.append(b = html("b", "", String(number)));
			else if (!again) b.textContent = b.textContent.replace(/\W.*/, "") + (number - 1 === +b.textContent.split(/\W/).pop() ? "–" : " ") + number;
			row.classList.add("on");
		}

		// chip says how a branch went, behind its line or the one that the path has come to.
		chip(id, last) {
			const [from, to, says, line, count, known] = this.data.edges[id];
			const back = this.back.has(id);
			if (!says && !back) return;
			const row = this.source.querySelector(`tr[data-l="${line}"]`) ?? last;
			if (!row) return;
			let chips = row.querySelector(".chips");
			if (!chips) row.querySelector(".code").append(chips = html("span", "chips", ""));
			if (says) {
				const chip = html("span", says === "return" || says === "panic" ? "chip end" : "chip", says);
				const all = this.data.edges.filter((e) => e[0] === from).reduce((sum, e) => sum + e[4], 0);
				chip.title = known ?? `${grouped(count)} of ${grouped(all)}`;
				chips.append(chip);
			}
			if (back) chips.append(html("span", "chip end", "↺ " + (this.data.blocks[to][0] || "loop")));
		}

		// join draws a line from the first to the last of rows.
		join(rows) {
			if (!rows.length) return;
			rows.sort((a, b) => a.rowIndex - b.rowIndex);
			const first = rows[0], last = rows[rows.length - 1];
			for (let r = first; r; r = r.nextElementSibling) {
				r.classList.add(rows.includes(r) ? "on" : "between");
				if (r === last) break;
			}
			first.classList.add("first");
			last.classList.add("last");
			const box = first.getBoundingClientRect();
			if (box.top < 60 || box.top > innerHeight - 60) {
				const high = last.getBoundingClientRect().bottom - box.top;
				if (box.height) first.scrollIntoView({block: high < innerHeight - 200 ? "center" : "start"});
			}
		}

		// draw draws the graph, once.
		draw() {
			const box = this.element.querySelector(".graph");
			if (box.firstChild) return;
			if (typeof dagre === "undefined") {
				addEventListener("load", () => this.draw(), {once: true});
				return;
			}
			const {blocks} = this.data;
			if (blocks.length > 400 && !this.insist) {
				const button = html("button", "plain", `Draw ${grouped(blocks.length)} blocks`);
				button.addEventListener("click", () => { this.insist = true; button.remove(); this.draw(); });
				box.append(button);
				return;
			}
			box.append(this.picture());
			this.drawPath(this.selected === null ? null : this.data.paths[this.selected]);
		}

		// snippet returns the source with which a block begins.
		snippet(block) {
			const part = [...(this.source?.querySelectorAll(`[data-b="${block}"]`) ?? [])].find((p) => p.textContent.trim());
			const text = part ? part.textContent.trim().replace(/\s+/g, " ") : "";
			return text.length > 34 ? text.slice(0, 33) + "…" : text;
		}

		// picture lays the graph out with dagre and returns it as SVG.
		picture() {
			const {blocks, edges, exit} = this.data;
			const g = new dagre.graphlib.Graph({multigraph: true});
			g.setGraph({rankdir: "TB", nodesep: 26, ranksep: 34, edgesep: 14, marginx: 16, marginy: 16});
			blocks.forEach(([line], id) => {
				const code = this.snippet(id);
				const where = id === exit ? "exit" : line ? String(line) : "·";
				const count = blocks[id][3] ?? grouped(blocks[id][1]);
				const width = Math.max(7.4 * code.length, 7.4 * (where.length + count.length + 3)) + 18;
				g.setNode(id, {width, height: code ? 42 : 24, code, where, count});
			});
			edges.forEach(([from, to, says, , count, known], id) => {
				const label = (says ? says + " " : "") + (known ?? grouped(count));
				g.setEdge(from, to, {id, label, width: 6.4 * label.length + 8, height: 16, labelpos: "c"}, String(id));
			});
			dagre.layout(g);
			const {width, height} = g.graph();
			const image = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Control-flow graph of ${blocks.length} blocks and ${edges.length} edges; the table below says the same`});
			image.append(svg("defs", {}, svg("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto"}, svg("path", {d: "M0 0 L8 4 L0 8 z"}))));
			for (const e of g.edges()) image.append(this.edge(g.edge(e)));
			blocks.forEach((_, id) => image.append(this.node(id, g.node(id))));
			return image;
		}

		edge(e) {
			const count = this.data.edges[e.id][4];
			const hottest = Math.max(1, ...this.data.blocks.map((b) => b[1]));
			const points = e.points;
			let d = `M${points[0].x} ${points[0].y}`;
			for (let i = 1; i < points.length - 1; i++) {
				const end = i === points.length - 2 ? points[i + 1] : {x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2};
				d += ` Q${points[i].x} ${points[i].y} ${end.x} ${end.y}`;
			}
			if (points.length === 2) d += ` L${points[1].x} ${points[1].y}`;
			const line = svg("path", {d, "marker-end": "url(#arrow)", "stroke-width": 1 + 2 * Math.log(count + 1) / Math.log(hottest + 1)});
			return svg("g", {class: "edge" + (count ? "" : " never"), "data-edge": e.id}, line, svg("text", {x: e.x, y: e.y + 4}, e.label));
		}

		node(id, n) {
			const heat = this.data.blocks[id][2];
			const left = n.x - n.width / 2, top = n.y - n.height / 2;
			const group = svg("g", {class: `node h${heat}`, "data-block": id},
				svg("rect", {x: left, y: top, width: n.width, height: n.height, rx: 5}),
				svg("text", {class: "where", x: left + 9, y: top + 16}, n.where),
				svg("text", {class: "count", x: left + n.width - 9, y: top + 16}, n.count));
			if (n.code) group.append(svg("text", {x: left + 9, y: top + 33}, n.code));
			return group;
		}

		drawPath(path) {
			const image = this.element.querySelector(".graph svg");
			if (!image) return;
			image.classList.toggle("chosen", path !== null);
			const blocks = new Set(path ? this.blocks(path) : []), edges = new Set(path ? path.edges : []);
			for (const n of image.querySelectorAll(".node")) n.classList.toggle("on", blocks.has(+n.dataset.block));
			for (const e of image.querySelectorAll(".edge")) e.classList.toggle("on", edges.has(+e.dataset.edge));
			const first = image.querySelector(".node.on"), box = image.parentElement;
			if (!first) return;
			const at = first.getBoundingClientRect(), frame = box.getBoundingClientRect();
			box.scrollBy(at.left + at.width / 2 - frame.left - frame.width / 2, at.top - frame.top - 60);
		}

		// move selects the next path that is listed, or the previous one.
		move(by) {
			const rows = this.rows.filter((r) => !r.hidden);
			const at = rows.findIndex((r) => r.dataset.path === this.selected);
			const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)];
			if (row) this.select(row.dataset.path);
		}
	}

	// search lists what the server finds below the search field.
	function search(input, list) {
		let asked = 0, listed = 0, at = -1; // the last query, and the one whose results are listed
		let answer; // to the last query; it may be on its way
		const options = () => [...list.querySelectorAll("[role=option]")];
		const close = () => {
			asked++; // what is on its way does not open it again
			list.hidden = true;
			input.setAttribute("aria-expanded", "false");
			input.removeAttribute("aria-activedescendant");
		};
		const choose = (i) => {
			const all = options();
			at = all.length ? (i + all.length) % all.length : -1;
			all.forEach((o, k) => o.setAttribute("aria-selected", k === at));
			if (at >= 0) {
				input.setAttribute("aria-activedescendant", all[at].id);
				all[at].scrollIntoView({block: "nearest"});
			}
		};
		const query = async () => {
			const mine = ++asked;
			if (!input.value.trim()) return close();
			const results = await fetch("/search?part=1&q=" + encodeURIComponent(input.value));
			const text = await results.text();
			if (mine !== asked) return; // a later one has been sent
			list.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
			list.hidden = false;
			listed = mine;
			input.setAttribute("aria-expanded", "true");
			choose(0);
		};
		const ask = () => { answer = query().catch(() => {}); }; // without an answer nothing new is listed
		input.addEventListener("input", ask);
		input.addEventListener("focus", () => { input.select(); if (input.value.trim()) ask(); });
		input.addEventListener("blur", () => { if (!list.matches(":hover")) close(); });
		input.form.addEventListener("submit", (event) => {
			if (list.hidden) return; // the server lists what it finds
			event.preventDefault();
			const mine = asked;
			const open = () => {
				const chosen = listed === mine && options()[at];
				if (chosen) location.href = chosen.href;
				else input.form.submit();
			};
			answer.then(open);
		});
		input.addEventListener("keydown", (event) => {
			if (event.key === "ArrowDown" || event.key === "ArrowUp") {
				event.preventDefault();
				choose(at + (event.key === "ArrowDown" ? 1 : -1));
			} else if (event.key === "Escape") {
				event.stopPropagation();
				input.value = "";
				close();
				input.blur();
			}
		});
	}

	// through shows the paths through a line of a file below it, or takes them away again.
	async function through(link) {
		const row = link.closest("tr"), below = row.nextElementSibling;
		if (below?.classList.contains("below")) return below.remove();
		const answer = await fetch(link.href + "&part=1");
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		if (row.nextElementSibling?.classList.contains("below")) return; // clicked twice
		const cell = document.createElement("td"), added = document.createElement("tr");
		cell.colSpan = 3;
		cell.append(...page.body.childNodes);
		added.className = "below";
		added.append(cell);
		row.after(added);
	}

	document.addEventListener("DOMContentLoaded", () => {
		document.body.dataset.live = document.getElementById("search") ? "1" : "";
		setTheme(theme);
		document.getElementById("theme")?.addEventListener("click", nextTheme);
		const input = document.getElementById("search");
		if (input) search(input, document.getElementById("found"));

		if (document.body.dataset.live) document.querySelector(".source.file")?.addEventListener("click", (event) => {
			const link = event.target.closest(".x a");
			if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
			event.preventDefault();
			through(link);
		});

		// In the report functions are folded up; each is brought to life when it is opened.
		let fn = null;
		const functions = new Map(); // how to bring them to life
		for (const element of document.querySelectorAll("article.function")) {
			if (!element.querySelector(".data")) continue;
			const fold = element.querySelector(":scope > details");
			if (!fold) fn = new Fn(element);
			let own = null;
			functions.set(element, () => fn = own ??= new Fn(element));
			fold?.addEventListener("toggle", () => { if (fold.open) functions.get(element)(); });
		}
		for (const e of document.querySelectorAll(".of-function")) e.hidden = !document.querySelector("article.function");
		const unfold = () => {
			const [, id, path] = decodeURIComponent(location.hash.slice(1)).match(/^(.*?)(?:~([LP]?\d+))?$/s);
			const target = document.getElementById(id);
			const fold = target?.querySelector(":scope > details");
			if (!fold) return;
			fold.open = true;
			target.scrollIntoView();
			const opened = path && functions.get(target)?.();
			if (!/^[LP]/.test(path ?? "")) return opened?.select(path, true);
			if (path[0] === "P") opened?.filterBy(path.slice(1));
			opened?.goTo(path.slice(1));
		};
		addEventListener("hashchange", unfold);
		unfold();

		document.addEventListener("keydown", (event) => {
			if (event.key === "/" && !event.target.closest("input")) event.preventDefault(); // Firefox would search the page
			if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
			const keys = {
				t: nextTheme,
				j: () => fn?.move(1),
				k: () => fn?.move(-1),
				s: () => fn?.show("source"),
				g: () => fn?.show("graph"),
				Escape: () => { fn?.filterBy(null); fn?.select(null); },
			};
			keys[event.key]?.();
		});
		document.addEventListener("keyup", (event) => { // not keydown, which would type the slash into the field
			if (event.key === "/" && !event.target.closest("input")) input?.focus();
		});
	});
})();
