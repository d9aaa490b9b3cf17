"use server";
// What the browser may do is decided here, where people are signed in: it gets a token for one run, and never a key.
import { createClient } from "edgecrew-client";

const { EDGECREW_URL: url = "http://localhost:8787", EDGECREW_KEY: key = "" } = process.env;
const client = createClient({ url, auth: key });

/** Starts the crew for a person who is signed in, and lets their browser follow it and answer. */
export async function startHaiku(topic: string): Promise<{ id: string; token: string }> {
  const { id } = await client.crews.kickoff("haiku", { inputs: { topic } });
  return { id, token: await tokenFor(id) };
}

/** Another token, once the first has expired. Check here that the run is this person's. */
export async function tokenFor(run: string): Promise<string> {
  const { token } = await client.tokens.create({
    runs: [run],
    scopes: ["read", "answer"],
    detail: "all", // the words of models, too: without it only how the run goes on, and what comes of it
  });
  return token;
}
