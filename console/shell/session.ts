import { useQuery } from "@tanstack/react-query";
import { EngineError } from "../../src/client/index.ts";
import type { Session } from "../api-types.ts";
import { client } from "../api.ts";

/** A Worker without sessions counts as one in open mode. Its first response shows the actual permissions. */
const WITHOUT_SESSIONS: Session = {
  authenticated: true,
  via: "open",
  mode: "open",
  methods: [],
};

async function readSession(): Promise<Session> {
  try {
    return await client.session.get();
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return WITHOUT_SESSIONS;
    throw error;
  }
}

export const SESSION_KEY = ["session"] as const;

export function useSession() {
  return useQuery({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: Infinity, retry: 3 });
}

/** True if the reader has this scope; `run` includes `answer`. */
export function useMay(scope: "read" | "answer" | "run" | "admin"): boolean {
  const scopes = useSession().data?.scopes;
  if (scopes === undefined) return true;
  return scopes.includes(scope) || (scope === "answer" && scopes.includes("run"));
}
