// On a phone, without polyfills: a picture is uploaded with its progress, and the run goes on where it was when the app comes back.
import { createClient, EngineError, type Persist, type SavedRun } from "edgecrew-client";

/** What of `@react-native-async-storage/async-storage` is used. */
type Storage = {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
};

/** What pickers of pictures and documents give. */
type Picked = { readonly uri: string; readonly name: string; readonly type: string };

export function crewOnPhone(options: {
  readonly url: string;
  readonly getToken: () => Promise<string>;
  readonly storage: Storage;
}) {
  const client = createClient({ url: options.url, auth: options.getToken });
  const persist = kept(options.storage);

  /** Starts the crew with a picture. `onProgress` gets numbers from 0 to 1. */
  async function describe(
    picture: Picked,
    onProgress: (part: number) => void,
    signal: AbortSignal,
  ): Promise<string> {
    const file = await client.files.upload(picture, {
      signal,
      onProgress: ({ sent, total = 0 }) => onProgress(total === 0 ? 0 : sent / total),
    });
    const run = await client.crews.kickoff("describe", { inputFiles: { picture: file.id } });
    return run.id;
  }

  /** For `useSyncExternalStore`, or a component's own state: see `get` and `subscribe`. */
  function follow(id: string) {
    return client.runs.store(id, { persist, slim: true });
  }

  return { describe, follow, messageOf };
}

function kept(storage: Storage): Persist {
  return {
    save: (id, saved) => storage.setItem(`run:${id}`, JSON.stringify(saved)),
    load: async (id) => {
      const text = await storage.getItem(`run:${id}`);
      return text === null ? undefined : (JSON.parse(text) as SavedRun);
    },
  };
}

/** What to say when something was refused. */
function messageOf(error: unknown): string {
  if (!EngineError.is(error)) return "Something went wrong.";
  if (error.code === "unavailable") return "No connection. It goes on by itself.";
  return error.issues?.[0]?.message ?? error.message;
}
