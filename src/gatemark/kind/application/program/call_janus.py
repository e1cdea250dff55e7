# SPDX-License-Identifier: Apache-2.0
"""A conference: chromium sends to janus, which hands on sound and picture, here to who sent them.

So the way there and back is heard, as by a listener behind the same gateway.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.meeting import PORT as PAGE_PORT
from gatemark.kind.application.meeting import Meeting
from gatemark.kind.application.program.call_webrtc import CHROMIUM, visited, watched
from gatemark.kind.application.rtc import PAGE

PORT: Final = 8088
LIBRARY: Final = "/usr/lib/*/janus/{}/libjanus_{}.so"
LOADED: Final = (("plugins", "echotest"), ("transports", "http"))
HTTP: Final = """general: {{
  base_path = "/janus"
  http = true
  ip = "{}"
  port = {}
}}
"""
SCRIPT: Final = """<script>
const conference = async (janus, own) => {
  const tell = async (way, body) => (await fetch(janus + way, {method: 'POST',
    body: JSON.stringify({...body, transaction: 'gatemark'})})).json();
  await ready();
  const session = '/' + (await tell('', {janus: 'create'})).data.id;
  const plugin = 'janus.plugin.echotest';
  const handle = session + '/' + (await tell(session, {janus: 'attach', plugin})).data.id;
  const jsep = await described(own);
  await tell(handle, {janus: 'message', body: {audio: true, video: true}, jsep});
  const next = async () => (await fetch(janus + session)).json();
  let event = {};
  while (!event.jsep) {
    event = await next();
    if (event.error) throw Error(JSON.stringify(event));
  }
  await pc.setRemoteDescription(event.jsep);
  await capped();
};
</script>"""


def serve(stage: Stage) -> Iterator[Report]:
    """Serve the page, and the conference."""
    Meeting(stage.far, PAGE + SCRIPT)
    config = stage.file("conference/janus.transport.http.jcfg", HTTP.format(stage.far, PORT))
    words = (f"--configs-folder={config.parent}", f"--ice-enforce-list={stage.far}")
    stage.start("janus", *words, "--disable-colors")
    stage.listening(PORT)
    yield {}
    stage.until_over()
    yield {"sound": stage.tap.packets()}


def use(stage: Stage) -> Iterator[Report]:
    """Join, and wait until sound and picture come back."""
    page = visited(stage)
    page.run(f"conference('http://{stage.far}:{PORT}/janus', '{stage.near}')")
    yield from watched(stage, page)


JANUS: Final = replace(
    CHROMIUM,
    name="call-janus",
    title="conference (janus)",
    setup=(PAGE_PORT, PORT),
    needs={
        "chromium": "chromium",
        "janus": "janus",
        **{LIBRARY.format(*words): "janus" for words in LOADED},
    },
    serve=serve,
    use=use,
)
