// SPDX-License-Identifier: Apache-2.0
/*
 * The end that opens TCP connections and sends messages over them. One thread; sockets do not
 * block; 24 bytes a connection, nothing is allocated after client_open(). Times are of
 * CLOCK_MONOTONIC.
 */
#ifndef GM_CLIENT_H
#define GM_CLIENT_H

#include "connect/tuple.h"
#include "count/bins.h"
#include "count/histogram.h"
#include "talk/fault.h"
#include "talk/talk.h"

#include <stdbool.h>
#include <stdint.h>

#define CLIENT_MOST 1000000
#define AHEAD_MOST 4096

enum mode { MODE_OPEN, MODE_CRR, MODE_HOLD };

/* Checked by the verb. */
struct client_options {
	enum mode mode;
	struct tuples tuples;
	unsigned int connections; /* at most, to hold, at once: by this process */
	uint64_t base; /* number of the first of these */
	unsigned int ahead; /* on their way to be open at the same time */
	double active_pps; /* hold; 0: idle */
	uint64_t duration_ns; /* open: of the opening, at most; else of the messages */
	uint64_t timeout_ns; /* an answer that takes longer is none */
	uint64_t bin_ns, tick_ns; /* tick 0: never */
};

/* Why a connection failed or ended. */
enum failure {
	FAILURE_REFUSED, /* by a reset in answer to the SYN */
	FAILURE_NO_ANSWER, /* to the SYN, in time */
	FAILURE_NO_ECHO, /* open, but what was sent did not come back in time */
	FAILURE_RESET, /* when open: by the peer or a gateway */
	FAILURE_UNREACHABLE, /* no route, here or reported by a router */
	FAILURE_GARBLED, /* what came back is not what was sent */
	FAILURE_NO_PORT, /* this host: the address or port is in use or not here */
	FAILURE_NO_DESCRIPTOR, /* this host: RLIMIT_NOFILE, fs.file-max */
	FAILURE_NO_MEMORY, /* this host */
	FAILURE_OTHER,
	FAILURES,
};

/* Why no more were opened. */
enum stop {
	STOP_NONE,
	STOP_CONNECTIONS, /* as many as requested */
	STOP_FAILED, /* one failed */
	STOP_TIME,
	STOP_TOLD, /* the laboratory asked to stop */
};

enum conn_state { CONN_FREE, CONN_CONNECTING, CONN_ASKED, CONN_OPEN, CONN_ENDING };

struct conn {
	int fd;
	uint8_t state; /* enum conn_state */
	uint8_t part; /* bytes of a message that was cut */
	uint16_t unanswered; /* messages */
	uint64_t since_ns; /* of the state, or of the last message asked */
	uint64_t waits_ns; /* since when no answer came: how long, ends it */
};

struct client {
	struct client_options options;
	struct talk *talk;
	int epoll, timer; /* -1: not open */
	struct conn *conn;
	unsigned int low, high; /* those that wait for an answer lie in [low, high) */
	unsigned int *spare; /* crr: places that are free */
	unsigned int spares;

	/* What was done. */
	uint64_t begun, connected, opened, asked, answered, skipped;
	uint64_t failed[FAILURES];
	uint64_t failures; /* sum */
	uint64_t first_number; /* which one failed first */
	int first_errno;
	enum failure first;
	enum stop stop;
	unsigned int flying; /* connections that wait for an answer */
	unsigned int open; /* open and answered */
	uint64_t verified, verify_asked;
	uint64_t scheduled; /* hold: messages */
	struct histogram connect_ns, echo_ns, late_ns;
	bool timed; /* whether answers go into echo_ns */
	bool forward; /* each place flies once, in order: low follows */
	bool opening; /* an answer is a connection's first one */
	struct bins rate; /* connections that got their answer, over time; borrowed */
	uint64_t until_ns; /* no more are opened */
	uint64_t memory_bytes; /* when all were open */
	bool whole; /* this process has done its whole part */

	uint64_t now_ns, t0_ns, t1_ns; /* of what is measured */
	uint64_t open_t0_ns, open_t1_ns; /* of the opening */
	uint64_t cpu_ns; /* from t0 to t1 */
	uint64_t look_ns, tick_ns,
		expire_ns; /* when to look at stdin, to report, to look for late answers */
};

/* Takes memory and descriptors; the options and the bins are there. 0 or -errno. */
int client_open(struct client *client, struct talk *talk, struct fault *fault);
void client_close(struct client *client);

/* Adds what another process counted. */
void client_add(struct client *client, const struct client *other);

/* A phase begins; whether the laboratory has ended the job. */
void client_begin(struct client *client);
bool client_look(struct client *client);

/* conn.c. Begins connection `number` in place `at`; a failure is counted. */
void conn_begin(struct client *client, unsigned int at, uint64_t number);

/* Sends a message over an open connection. False: the connection has ended. */
bool conn_ask(struct client *client, unsigned int at);

/* Ends a connection, and counts why. */
void conn_fail(struct client *client, unsigned int at, enum failure failure, int error);

/* poll.c. Waits for what happens, timeout_ms at most or until the timer, and deals with it. */
void client_poll(struct client *client, int timeout_ms);

/* Gives up what has waited for longer than the timeout. */
void client_expire(struct client *client);

/* phases.c: each from its begin to its end. */
void opening_run(struct client *client); /* until one fails, or enough, or the time is over */
void verify_run(struct client *client); /* sends each another message */
void crr_run(struct client *client);
void hold_run(struct client *client); /* sends messages at a rate, or none */

/* failure.c: their names. */
const char *failure_name(enum failure failure);
const char *stop_name(enum stop stop);

#endif
