// Needs that more than one part has.
import { pythonEnvironment } from "./python-environment.ts";

/** CrewAI as its users install it. */
export const crewai = pythonEnvironment({
  name: "crewai",
  what: "CrewAI 1.15.30 in a Python environment",
  requirements: new URL("../requirements/crewai.txt", import.meta.url),
  seconds: 30,
  megabytes: 900,
});
