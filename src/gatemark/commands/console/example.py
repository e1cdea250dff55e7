# SPDX-License-Identifier: Apache-2.0
"""Commands that people really type, by verb: `--help` ends with them, and so do the man pages."""

from typing import Final

Example = tuple[str, str]  # what it is for, the command

EXAMPLES: Final[dict[str, tuple[Example, ...]]] = {
    "list": (
        ("everything that can be run", "gatemark list"),
        ("the plans of one suite", "gatemark list kofler"),
    ),
    "plan": (
        ("what the suite quick would run, and for how long", "gatemark plan quick"),
        ("the short variant of a study", "gatemark plan kofler --variant short"),
        (
            "one plan with other rates",
            "gatemark plan quick/sweep --set 'sweep.rate_pps=[5000,9000]'",
        ),
    ),
    "run": (
        ("a first look, in under five minutes", "gatemark run"),
        (
            "a plan with a slower gateway",
            "gatemark run quick/sweep --set gateway.slow_to_pps=10000",
        ),
        ("a plan of your own, into a folder named", "gatemark run my-plan.toml --out my-run"),
        ("its traffic from iperf3", "gatemark run my-plan.toml --driver iperf3"),
        ("go on with a run that was cut", "gatemark run --resume my-run"),
    ),
    "show": (
        ("the newest run's answer again", "gatemark show"),
        ("each value as data", "gatemark show my-run --json"),
        ("a row for a wiki or forum", "gatemark show my-run --row --header"),
    ),
    "explain": (
        ("what a knee is, and its trials in the newest run", "gatemark explain knee"),
        ("what to do about a warning", "gatemark explain spread"),
        ("every word by kind", "gatemark explain"),
    ),
    "report": (
        ("the page again, where a browser finds it", "gatemark report my-run --out page.html"),
        ("runs side by side on one page", "gatemark report my-run second"),
        ("an index of all runs in a folder", "gatemark report gatemark-runs"),
        ("a study in its own order, with a run", "gatemark report --study wrt54 my-run"),
    ),
    "export": (
        ("every value, for a script", "gatemark export my-run --out values.csv"),
        ("a row a point, for a spreadsheet", "gatemark export my-run --wide --out points.csv"),
        ("tables to paste into an issue", "gatemark export my-run --format markdown"),
        ("every trial of several runs", "gatemark export my-run second --raw --out all.parquet"),
        ("this device for `gatemark rank`", "gatemark export my-run --reference --out device.toml"),
    ),
    "diff": (
        ("the newest two runs: did it get slower?", "gatemark diff"),
        ("hide less than 5 %", "gatemark diff latest~1 latest --noise 0.05"),
        ("the median delay instead", "gatemark diff old new --quantity delay_p50_ns"),
    ),
    "ab": (
        ("what do a hundred rules cost?", "gatemark ab nat nat+filter:100"),
        ("what does chance alone do here?", "gatemark ab route route --boots 8"),
        (
            "did the new firmware make it slower?",
            "gatemark ab nat nat --station bench.toml --switch 'flash.sh {arm}'",
        ),
        ("two gateways, TCP instead", "gatemark ab old.toml new.toml --plan my-tcp.toml"),
        ("go on with a test that was cut", "gatemark ab --resume gatemark-runs/20261122-101500-ab"),
    ),
    "verdict": (
        ("did a change of rules cost packets?", "gatemark verdict old.nft new.nft"),
        (
            "another kernel, with these rules",
            "gatemark verdict linux-image-cloud-amd64 linux-image-amd64 --rules rules.nft",
        ),
    ),
    "tune": (
        ("which settings make this box faster?", "gatemark tune nat --station bench.toml"),
        (
            "of these settings alone, for less CPU",
            "gatemark tune route --prefer cpu --axis gro:list,gro:udp --axis defer:50",
        ),
    ),
    "price": (
        ("what each rule of a firewall costs", "gatemark price rules.nft"),
        ("rules of iptables, by their ports", "gatemark price rules.save --lan br0 --wan ppp0"),
        ("as data", "gatemark price rules.nft --family ipv4 --json"),
    ),
    "cmp": (
        ("two gateways, or three", "gatemark cmp my-run second third"),
        ("whatever their frame sizes", "gatemark cmp my-run second --across frame_bytes"),
    ),
    "fit": (
        ("does NAT carry 1000/500 Mbit/s?", "gatemark fit --line 1000/500 --setup nat my-run"),
        ("the same of small frames", "gatemark fit --line 100/40 --setup nat --frame 64 my-run"),
    ),
    "campaign": (
        ("what it takes, and whether its gates can fire", "gatemark campaign plan release.toml"),
        ("measure it to its end", "gatemark campaign run release.toml --out release"),
        ("go on with what was cut", "gatemark campaign resume release"),
        ("what runs where, until it ends", "gatemark campaign status release --watch"),
        (
            "the gates for continuous integration",
            "gatemark campaign report release --junit gates.xml",
        ),
    ),
    "rank": (
        ("devices that ship, and one of yours", "gatemark rank device.toml"),
        ("by the knee alone, with two runs", "gatemark rank my-run second --quantity knee_pps"),
    ),
    "coverage": (
        ("what of five studies is answered, by the plans", "gatemark coverage"),
        ("what a run of yours shows, with links", "gatemark coverage my-run --out coverage.html"),
    ),
    "classifier": (
        ("what the model that ships was trained on, and its tree", "gatemark classifier show"),
        ("a tree of your own captures", "gatemark classifier train flows.csv --out my.c45"),
        (
            "does such a tree hold for applications that it never saw?",
            "gatemark classifier evaluate flows.csv --model my.c45 --split application",
        ),
    ),
    "lab": (
        ("a NATing gateway to try things on", "gatemark lab up --path nat"),
        ("its rules", "gatemark lab shell gateway -- nft list ruleset"),
        ("away with it", "gatemark lab down"),
    ),
    "station": (
        ("the stations that ship", "gatemark station list"),
        (
            "a box and this PC: an interview, and a station file",
            "gatemark station introduce root@192.168.1.1",
        ),
        ("is the bench cabled as its file says?", "gatemark station check bench.toml"),
        ("one file to ask for help with", "gatemark station report bench.toml"),
    ),
    "capture": (
        (
            "a box's ARP in Wireshark",
            "gatemark capture --station box.toml --filter arp | wireshark -k -i -",
        ),
        (
            "the headers of 1000 packets of the open lab",
            "gatemark capture --snaplen 68 --packets 1000 --out first.pcapng",
        ),
    ),
    "doctor": (("what is missing on this machine", "gatemark doctor"),),
    "agent": (
        ("the agent for this machine", "gatemark agent build"),
        ("for a router with a big-endian MIPS", "gatemark agent build --target mips"),
    ),
}


def epilog(verb: str) -> str:
    """The examples of a verb as the end of its help; `\\b` keeps their lines."""
    width = max(len(command) for _, command in EXAMPLES[verb])
    wide = width + max(len(text) for text, _ in EXAMPLES[verb]) + 7 > 80
    lines = [
        f"  {command}" if wide else f"  {command:{width}}   {text}"
        for text, command in EXAMPLES[verb]
    ]
    return "\n".join(("\b", "Examples:", *lines))
