# SPDX-License-Identifier: Apache-2.0
"""A call between two browsers: their page, and what getStats of one says about a time.

Each offers the other one address, of IPv4: by itself a browser takes IPv6, whose packets are not
seen (tap.py).

The names are those of the W3C's "Identifiers for WebRTC's Statistics API".
"""

from typing import Any, Final

SOUND, PICTURE, SENT = "inbound-rtp audio", "inbound-rtp video", "outbound-rtp video"
PAGE: Final = """<!doctype html><video autoplay muted></video><script>
const size = {width: 320, height: 180, frameRate: 15};
const leave = (name, what) => fetch(name, {method: 'PUT', body: JSON.stringify(what)});
const find = async name => (await fetch(name)).json();
let pc, late = [], due = performance.now();
setInterval(() => {
  const now = performance.now();
  late.push(now - due);
  due = Math.max(due + 20, now);
}, 20);
const ready = async () => {
  pc = new RTCPeerConnection();
  pc.ontrack = ({streams}) => { document.querySelector('video').srcObject = streams[0]; };
  const media = await navigator.mediaDevices.getUserMedia({audio: true, video: size});
  for (const track of media.getTracks()) pc.addTrack(track, media);
};
const described = async own => {
  await pc.setLocalDescription();
  while (pc.iceGatheringState !== 'complete') await new Promise(go => setTimeout(go, 20));
  const {type, sdp} = pc.localDescription;
  const taken = line => !line.startsWith('a=candidate') || line.split(' ')[4] === own;
  return {type, sdp: sdp.split('\\r\\n').filter(taken).join('\\r\\n')};
};
const capped = async () => {
  const video = pc.getSenders().find(({track}) => track.kind === 'video');
  const words = video.getParameters();
  words.encodings[0].maxBitrate = 250e3;
  await video.setParameters(words);
};
const offer = async own => {
  await ready();
  await leave('offer', await described(own));
  find('answer').then(answer => pc.setRemoteDescription(answer)).then(capped);
};
const answer = async own => {
  await ready();
  await pc.setRemoteDescription(await find('offer'));
  await leave('answer', await described(own));
  await capped();
};
const report = async () => {
  const made = {timer: late.splice(0).sort((a, b) => a - b)};
  for (const each of (await pc.getStats()).values())
    if (each.type.endsWith('bound-rtp')) made[`${each.type} ${each.kind}`] = each;
  return made;
};
</script>"""

Report = dict[str, Any]


def seen(before: Report, after: Report, packets: Report) -> Report:
    """Return what an end saw between two of its reports."""
    timer = after["timer"]
    counts = {
        f"{kind} {name}": value - before.get(kind, {}).get(name, 0)
        for kind, each in after.items()
        if kind in (SOUND, PICTURE, SENT)
        for name, value in each.items()
        if isinstance(value, int | float)
    }
    limited = after.get(SENT, {}).get("qualityLimitationReason", "")
    late = {"p99": timer[len(timer) * 99 // 100], "most": timer[-1]} if timer else {}
    return {
        "sound": packets,
        "counts": counts,
        "timer": {f"late_{name}_ns": round(ms * 1e6) for name, ms in late.items()},
        "words": {"limited by": limited},
    }
