# SPDX-License-Identifier: Apache-2.0
"""What of a walk is the packet's way: between the drivers, without what chance adds."""

from gatemark.price.inner import inner
from gatemark.store.record import Call


def test_drivers_interrupts_and_chance_are_left_out() -> None:
    way = [
        Call("asm_common_interrupt", 0, 50),
        Call("virtnet_poll", 1, 300),
        Call("netif_receive_skb_list_internal", 2, 10),
        Call("ip_rcv", 3, 100),
        Call("asm_sysvec_apic_timer_interrupt", 4, 700),
        Call("tick_sched_timer", 5, 600),
        Call("kmem_cache_free", 4, 7),
        Call("__slab_free", 5, 90),
        Call("nft_do_chain", 4, 142),
        Call("dev_hard_start_xmit", 4, 30),
        Call("start_xmit", 5, 400),
        Call("ip_finish_output", 4, 5),
        Call("napi_complete_done", 2, 40),
    ]
    counts = inner(way)
    assert counts == {
        "netif_receive_skb_list_internal": 10,
        "ip_rcv": 100,
        "nft_do_chain": 142,
        "ip_finish_output": 5,
    }


def test_a_walk_without_a_packet_has_nothing() -> None:
    assert not inner([Call("tick_sched_timer", 0, 600)])
