import { useCallback, useRef, useState } from "react";
import { toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { FileRef } from "../../files/file-ref.ts";
import type { UploadBody } from "../upload.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";

/** An upload in a component: its progress, and the stored file. */
export type UseUpload = {
  /** Uploads a file; a second call ends the first. Resolves to undefined if it was cancelled or failed. */
  readonly upload: (file: UploadBody) => Promise<FileRef | undefined>;
  /** From 0 to 1; undefined without an upload, or if its size is unknown. */
  readonly progress: number | undefined;
  readonly file: FileRef | undefined;
  readonly error: ErrorRecord | undefined;
  readonly cancel: () => void;
};

type State = Pick<UseUpload, "progress" | "file" | "error">;

const NOTHING: State = { progress: undefined, file: undefined, error: undefined };

/** Manages one upload at a time, with its progress. */
export function useUpload(options: HookOptions = {}): UseUpload {
  const client = useEdgecrew(options);
  const [state, setState] = useState(NOTHING);
  const sending = useRef<AbortController>(undefined);
  const cancel = useCallback(() => {
    sending.current?.abort();
    setState(NOTHING);
  }, []);
  const upload = useCallback(
    async (body: UploadBody): Promise<FileRef | undefined> => {
      sending.current?.abort();
      const { signal } = (sending.current = new AbortController());
      setState({ ...NOTHING, progress: 0 });
      try {
        const file = await client.files.upload(body, {
          signal,
          onProgress: ({ sent, total }) => {
            if (!signal.aborted && total !== undefined && total > 0)
              setState({ ...NOTHING, progress: sent / total });
          },
        });
        if (signal.aborted) return undefined;
        setState({ ...NOTHING, progress: 1, file });
        return file;
      } catch (error) {
        if (!signal.aborted) setState({ ...NOTHING, error: toErrorRecord(error, "unavailable") });
        return undefined;
      }
    },
    [client],
  );
  return { ...state, upload, cancel };
}
