# SPDX-License-Identifier: Apache-2.0
"""Functions by address, as /proc/kallsyms has them."""

from gatemark.station.symbols import UNKNOWN, Function, Symbols

LINES = """\
80100000 T _stext
80100000 T ip_rcv
80100040 t ip_rcv_core.isra.0
801000c0 D jiffies
80100100 T ip_forward
c0000000 t nft_do_chain [nf_tables]
"""
WIDE = "ffffffff81000000 T ip_rcv\nffffffff81000100 T ip_forward\n"


def test_an_address_within_a_function_is_its() -> None:
    assert Symbols(LINES.splitlines()).function(0x80100010) == Function("ip_rcv", 0x80100000)


def test_what_a_compiler_split_off_is_of_its_function() -> None:
    assert Symbols(LINES.splitlines()).function(0x80100044).name == "ip_rcv_core"


def test_data_is_no_function() -> None:
    assert Symbols(LINES.splitlines()).function(0x801000C4).name == "ip_rcv_core"


def test_a_modules_function_is_known() -> None:
    assert Symbols(LINES.splitlines()).function(0xC0000008).name == "nft_do_chain"


def test_a_bpf_program_has_its_own_name() -> None:
    line = "ffffffffc0400000 t bpf_prog_3b185187f1855c4c_gm_capture\t[bpf]"
    assert Symbols([*WIDE.splitlines(), line]).function(0xFFFFFFFFC0400010).name == "gm_capture"


def test_what_lies_behind_the_code_is_of_no_function() -> None:
    symbols = Symbols([*LINES.splitlines(), "80200000 T _einittext"])
    assert symbols.function(0x811D4000).name == UNKNOWN
    assert symbols.function(0x801FFFFC).name == "ip_forward"


def test_a_program_is_user_space() -> None:
    assert Symbols(LINES.splitlines()).function(0x00400000).name == "user space"


def test_addresses_are_as_wide_as_the_guests() -> None:
    signed = 0xFFFFFFFF80100004  # as an emulator of 32 bits may extend it
    assert Symbols(LINES.splitlines()).function(signed).name == "ip_rcv"


def test_a_wide_kernel_begins_in_the_upper_half() -> None:
    symbols = Symbols(WIDE.splitlines())
    names = [symbols.function(at).name for at in (0x7F0000000000, 0xFFFFFFFF81000104)]
    assert names == ["user space", "ip_forward"]


def test_a_functions_first_instruction_enters_it() -> None:
    symbols = Symbols(LINES.splitlines())
    assert [symbols.enters(at) for at in (0x80100100, 0x80100104)] == [True, False]


def test_hidden_addresses_are_none() -> None:
    assert len(Symbols(["00000000 T ip_rcv"])) == 0
