// SPDX-License-Identifier: Apache-2.0
/*
 * The four requests to rtnetlink that the agent needs: add and remove a device's clsact qdisc,
 * attach a BPF program at one of its hooks (tc-bpf(8)), and read its number of receive queues. TCX
 * would be newer, but Debian 12's kernel 6.1 has none.
 */
#ifndef GM_NETLINK_H
#define GM_NETLINK_H

/* 0 or -errno; -EEXIST if the device has a clsact (or ingress) qdisc already. */
int netlink_add_clsact(int device_index);

/* Removes the qdisc with all that is attached to it. */
int netlink_remove_clsact(int device_index);

enum clsact_hook { CLSACT_INGRESS, CLSACT_EGRESS };

/* Attaches a program in direct-action mode; name is what tc shows. */
int netlink_attach(int device_index, enum clsact_hook hook, int program, const char *name);

/* Receive queues that a device may come to use (IFLA_NUM_RX_QUEUES), or -errno. */
int netlink_receive_queues(int device_index);

#endif
