"""Claims to be another agent, and votes twice, before it answers properly."""

import os, runpy, sys, urllib.error

member = os.path.join(os.path.dirname(__file__), "..", "python", "member.py")
source = open(member).read().split("while True:")[0]
exec(source)

vote = {"type": "vote", "payload": {"proposalId": "ada-1", "stance": "agree", "weight": 1}}
turn = None
while not turn:
    turn = call("GET", "/turn")
for forged, status in (([dict(vote, source="ada")], 403), ([vote, vote], 422)):
    try:
        call("POST", "/turns/" + turn["id"], {"signals": forged})
        sys.exit("a forged answer was taken")
    except urllib.error.HTTPError as problem:
        if problem.code != status:
            sys.exit("got %d, want %d" % (problem.code, status))
runpy.run_path(member, run_name="__main__")
