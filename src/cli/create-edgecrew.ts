#!/usr/bin/env node
// `npm create edgecrew`: the command line with only the command `create`.
import { argv } from "node:process";

argv.splice(2, 0, "create");
await import("./edgecrew.ts");
