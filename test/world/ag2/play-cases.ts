// Plays single conversations: `node test/world/ag2/play-cases.ts <id or file of cases>…`
import { ag2 } from "../needs/environments.ts";
import { playCases } from "../support/play-cases.ts";
import { ACCEPTED_CONVERSATIONS as rows } from "./accepted.ts";
import { describeDifference as describe } from "./compare-outcomes.ts";
import { caseNamed } from "./generate.ts";
import { playOnBoth as play } from "./play-on-both.ts";

await playCases({ need: ag2, named: (id) => [caseNamed(id)], play, rows, describe });
