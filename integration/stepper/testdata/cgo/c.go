package cgo

/*
#include <pthread.h>
#include <stdlib.h>

extern int goOrder(int a, int b);
extern long goWork(long n);

// This variable of threads has no value at first. Whoever writes to the wrong place changes it.
static __thread long mine;

static int order(const void *a, const void *b) { return goOrder(*(const int *)a, *(const int *)b); }

static void sortInts(int *list, int n) { qsort(list, n, sizeof *list, order); }

struct job {
	long calls, n, sum;
	int wrong;
};

static void *run(void *p) {
	struct job *j = p;
	char *heap[64] = {0};
	for (long i = 0; i < j->calls; i++) {
		mine++;
		free(heap[i % 64]);
		heap[i % 64] = malloc(16 + i * 97 % 3000);
		j->sum += goWork(j->n + i);
	}
	for (int i = 0; i < 64; i++)
		free(heap[i]);
	j->wrong = mine != j->calls;
	mine = 0;
	return 0;
}

// threads has some threads of C call Go, and this thread, too. It returns the sum, or -1 if a variable has changed.
static long threads(int n, long calls, long work) {
	pthread_t t[8];
	struct job j[9];
	long sum = 0;
	for (int i = 0; i <= n; i++)
		j[i] = (struct job){calls, work + i, 0, 0};
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], 0, run, &j[i]))
			return -2;
	run(&j[n]);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], 0);
	for (int i = 0; i <= n; i++) {
		if (j[i].wrong)
			return -1;
		sum += j[i].sum;
	}
	return sum;
}

static long spin(long n) {
	volatile long sum = 0;
	for (long i = 0; i < n; i++)
		sum += i % 7;
	return sum;
}
*/
import "C"

import "unsafe"

//export goOrder
func goOrder(a, b C.int) C.int { return C.int(Order(int(a), int(b))) }

//export goWork
func goWork(n C.long) C.long { return C.long(Work(int(n))) }

// sorted has C sort numbers, by Order.
func sorted(list []int32) { C.sortInts((*C.int)(unsafe.Pointer(&list[0])), C.int(len(list))) }

// threads has n threads of C and the calling one call Work so often.
func threads(n, calls, work int) int { return int(C.threads(C.int(n), C.long(calls), C.long(work))) }

// back calls Work by way of C.
func back(n int) int {
	list := []int32{int32(n), int32(n) + 1}
	sorted(list)
	return int(list[0])
}

func spin(n int) int { return int(C.spin(C.long(n))) }
