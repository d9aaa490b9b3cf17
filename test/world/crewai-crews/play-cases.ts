// Plays single crews: `node test/world/crewai-crews/play-cases.ts <id or file of cases>…`
import { crewai } from "../needs/environments.ts";
import { playCases } from "../support/play-cases.ts";
import { ACCEPTED_CREWS as rows } from "./accepted.ts";
import { describeDifference as describe } from "./compare-outcomes.ts";
import { casesNamed as named } from "./generate.ts";
import { playOnBoth as play } from "./play-on-both.ts";

await playCases({ need: crewai, named, play, rows, describe });
