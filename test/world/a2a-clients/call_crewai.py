"""CrewAI's own A2A client with its defaults: one line of JSON a call."""
import json, sys
from crewai.a2a.updates import PollingConfig
from crewai.a2a.utils.delegation import execute_a2a_delegation

base = sys.argv[1]
for name in ["clerk", "pair", "json", "fails", "asks"]:
    for way, updates in [("stream", None), ("poll", PollingConfig(interval=0.3))]:
        try:
            answer = execute_a2a_delegation(
                endpoint=f"{base}/a2a/{name}/.well-known/agent-card.json", auth=None, timeout=30,
                task_description="hello", accepted_output_modes=["application/json"], updates=updates)
            said = {"state": answer["status"].value, "text": answer.get("result") or answer.get("error")}
        except Exception as error:
            said = {"state": "error", "text": f"{type(error).__name__}: {error}"[:300]}
        print("CALL " + json.dumps({"client": "crewai", "agent": name, "way": way, **said}), flush=True)
