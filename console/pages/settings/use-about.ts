import { useQuery } from "@tanstack/react-query";
import { client } from "../../api.ts";

/** What the Worker says of itself. */
export function useAbout() {
  return useQuery({ queryKey: ["about"], queryFn: () => client.about(), staleTime: 60_000 });
}
