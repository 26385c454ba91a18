"""A member of a swarm with Python's standard library: python3 member.py ANSWER"""

import json, os, sys, urllib.error, urllib.request

BASE = os.environ.get("SWARMBUS_JOIN", "http://127.0.0.1:7334") + "/join"


def call(method, path, body=None):
    request = urllib.request.Request(BASE + path, json.dumps(body).encode() if body else None, method=method)
    request.add_header("Authorization", "Bearer " + os.environ["SWARMBUS_TOKEN"])
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=90) as answer:
        return json.loads(answer.read() or "null")


def think(turn, answer):
    """Proposes the answer, and votes for the proposals that say the same."""
    if not turn.get("proposals"):
        return [{"type": "proposal", "confidence": 0.9, "payload": {"proposalId": turn["agent"] + "-1", "content": answer, "reasoning": "it was tried"}}]
    votes = []
    for standing in turn["proposals"]:
        proposal = standing["proposal"]["payload"]
        stance = "agree" if proposal["content"] == answer else "disagree"
        votes.append({"type": "vote", "payload": {"proposalId": proposal["proposalId"], "stance": stance, "weight": 0.9, "reasoning": "it was tried"}})
    return votes


while True:
    try:
        turn = call("GET", "/turn")
        if turn:
            call("POST", "/turns/" + turn["id"], {"signals": think(turn, sys.argv[1])})
    except urllib.error.HTTPError as problem:
        print(turn["agent"] if turn else "", problem.code, problem.read().decode())
        if problem.code != 409:  # 410: the swarm has ended
            break
    except (urllib.error.URLError, ConnectionError):
        break
