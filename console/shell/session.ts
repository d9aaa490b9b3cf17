import { useQuery } from "@tanstack/react-query";
import { EngineError } from "../../src/client/index.ts";
import type { Session } from "../api-types.ts";
import { client } from "../api.ts";

/** A Worker without sessions answers as in open mode does: what it allows shows with the first request. */
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

/** Whether the reader may do what the scope allows; `run` contains `answer`. */
export function useMay(scope: "read" | "answer" | "run" | "admin"): boolean {
  const scopes = useSession().data?.scopes;
  if (scopes === undefined) return true;
  return scopes.includes(scope) || (scope === "answer" && scopes.includes("run"));
}
