# SPDX-License-Identifier: Apache-2.0
"""What of a walk is the packet's way: between the drivers, without what chance adds."""

from gatemark.price.inner import inner, received
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


# Functions by slot, and the slots that begin theirs.
WAY = {
    0: "default_idle",
    1: "virtnet_poll",
    2: "netif_receive_skb_list_internal",
    3: "ip_rcv",
    4: "netif_receive_skb_list_internal",
    5: "virtnet_poll",
    6: "asm_sysvec_apic_timer_interrupt",
}
BEGIN = {1, 2, 3, 6}


def cut(*slots: int) -> tuple[list[int], bool]:
    """The packet's way among these slots, and whether it was alone."""
    way, alone = received(slots, WAY.__getitem__, BEGIN.__contains__)
    return [*way], alone


def test_a_packet_is_from_where_it_is_handed_on_to_where_its_driver_goes_on() -> None:
    assert cut(0, 1, 2, 3, 4, 5, 6, 0) == ([2, 3, 4], True)
    assert cut(2, 3, 4) == ([2, 3, 4], True)


def test_an_interrupt_or_a_second_packet_is_no_packet_alone() -> None:
    assert cut(1, 2, 3, 6, 4, 5) == ([2, 3, 6, 4], False)
    assert cut(1, 2, 3, 4, 5, 1, 2, 3, 4, 5) == ([2, 3, 4], False)


def test_the_end_of_an_earlier_packet_is_none() -> None:
    assert cut(4, 5, 0) == ([], False)
