import { useQuery } from "@tanstack/react-query";
import { client } from "../../api.ts";
import { hasEnded } from "./requests.ts";

const EACH_MS = 1500;

/** Polls a run until it has ended. */
export function useRunState(id: string | undefined) {
  return useQuery({
    queryKey: ["run", id, "state"],
    queryFn: () => client.runs.get(id ?? ""),
    enabled: id !== undefined,
    refetchInterval: ({ state }) =>
      state.data !== undefined && hasEnded(state.data) ? false : EACH_MS,
  });
}
