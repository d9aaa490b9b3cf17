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

/** AG2 as its users install it, with its A2A clients and the client of OpenAI's API. */
export const ag2 = pythonEnvironment({
  name: "ag2",
  what: "AG2 0.14.0 with its A2A clients (a2a-sdk 1.3) in a Python environment",
  requirements: new URL("../requirements/ag2.txt", import.meta.url),
  seconds: 30,
  megabytes: 220,
});

/** CrewAI with its A2A client and server. */
export const a2aCrewai = pythonEnvironment({
  name: "a2a-crewai",
  what: "CrewAI 1.15.30 with its A2A client (a2a-sdk 0.3)",
  requirements: new URL("../requirements/a2a-crewai.txt", import.meta.url),
  seconds: 40,
  megabytes: 950,
});
