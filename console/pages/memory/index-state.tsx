import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { client } from "../../api.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useMay } from "../../shell/session.ts";

const EVERY_MS = 2000;

/** Records that lack a vector, such as after a change of the embedder, with their progress. Nothing if none does. */
export function IndexState() {
  const id = useId();
  const isAdmin = useMay("admin");
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ["memory", "index"],
    queryFn: () => client.memory.index(),
    refetchInterval: ({ state }) => (state.data?.reindexing === true ? EVERY_MS : false),
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => (await client.memory.reindex()).output(),
    onSuccess: () => {
      announce("The vectors are made");
      void queries.invalidateQueries({ queryKey: ["memory"] });
    },
    onMutate: () => void queries.invalidateQueries({ queryKey: ["memory", "index"] }),
  });
  if (data === undefined || data.missing === 0) return null;
  const { records, missing, reindexing, embedder } = data;
  const isGoing = reindexing || isPending;
  return (
    <section className="card card-body index-state" aria-label="Vector index">
      <p>
        <label htmlFor={id}>
          {isGoing
            ? `Vectors are being made for ${embedder ?? "the embedder"}: ${formatCount(records - missing)} of ${formatCount(records)}`
            : plural(missing, "memory lacks a vector", "memories lack a vector")}
        </label>{" "}
        <span className="soft">Memories without one are found by their words.</span>
      </p>
      {isGoing && <progress id={id} max={records} value={records - missing} />}
      {isAdmin && !isGoing && (
        <button type="button" className="button" onClick={() => mutate()}>
          Make the vectors
        </button>
      )}
      {error !== null && (
        <p className="fault" role="alert">
          {errorText(error)}
        </p>
      )}
    </section>
  );
}
