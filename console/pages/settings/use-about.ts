import { useQuery } from "@tanstack/react-query";
import { client } from "../../api.ts";

/** Loads the Worker's facts about itself. */
export function useAbout() {
  return useQuery({ queryKey: ["about"], queryFn: () => client.about(), staleTime: 60_000 });
}
