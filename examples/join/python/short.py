"""A member of a swarm in 20 lines: python3 short.py ANSWER"""

import json, os, sys, urllib.request


def call(path, body=None):
    url = os.environ.get("SWARMBUS_JOIN", "http://127.0.0.1:7334") + "/join" + path
    headers = {"Authorization": "Bearer " + os.environ["SWARMBUS_TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, headers)
    return json.loads(urllib.request.urlopen(request, timeout=90).read() or "null")


try:
    while True:
        if turn := call("/turn"):  # think here: turn has the task, and what was said
            standing = [s["proposal"]["payload"] for s in turn.get("proposals") or []]
            said = [{"type": "vote", "payload": {"proposalId": p["proposalId"], "stance": "agree" if p["content"] == sys.argv[1] else "disagree", "weight": 0.9}} for p in standing]
            call("/turns/" + turn["id"], {"signals": said or [{"type": "proposal", "confidence": 0.9, "payload": {"proposalId": turn["agent"] + "-1", "content": sys.argv[1]}}]})
except OSError as ended:  # 410: the swarm has ended
    print(ended)
