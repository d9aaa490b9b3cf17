// Plays single flows: `node test/world/crewai-flows/play-cases.ts <id or file of programs>…`
import { crewai } from "../needs/environments.ts";
import { playCases } from "../support/play-cases.ts";
import { ACCEPTED_FLOWS as rows } from "./accepted.ts";
import { flowNamed } from "./generate.ts";
import { describeDifference as describe, playOnBoth as play } from "./play-on-both.ts";

await playCases({ need: crewai, named: (id) => [flowNamed(id)], play, rows, describe });
