package main

/*
#include <pthread.h>
#include <time.h>

static long used(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *burn(void *p) {
	while (used() < 250)
		;
	return 0;
}

static void thread(void) {
	pthread_t t;
	pthread_create(&t, 0, burn, 0);
	pthread_join(t, 0);
}
*/
import "C"

func thread() { C.thread() }
