// oxlint-disable prefer-add-event-listener -- the smallest interface of browsers and phones
import { abortReason } from "./abort-reason.ts";

/** Used members of `XMLHttpRequest`. */
type Xhr = {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  readonly statusText: string;
  readonly responseText: string;
  withCredentials: boolean;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
};

/**
 * Like `fetch`, with `XMLHttpRequest`, the only way to observe upload progress in browsers and phones; undefined on
 * other platforms.
 */
export function countedFetch(
  onSent: (sent: number) => void,
): ((url: string, init: RequestInit) => Promise<Response>) | undefined {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Xhr };
  if (XMLHttpRequest === undefined) return undefined;
  return (url, { method = "GET", headers, body, signal, ...init }) =>
    new Promise((resolve, reject) => {
      const { credentials } = init as { readonly credentials?: string };
      const request = new XMLHttpRequest();
      const abort = (): void => request.abort();
      const end = (): void => signal?.removeEventListener("abort", abort);
      request.open(method, url);
      request.withCredentials = credentials === "include";
      for (const [name, value] of Object.entries(headers as Record<string, string>))
        request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => onSent(loaded);
      request.onload = () => {
        end();
        const { status, statusText, responseText } = request;
        const lines = request.getAllResponseHeaders().trim().split(/\r?\n/);
        const named = lines.flatMap((line): [string, string][] => {
          const at = line.indexOf(":");
          return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()]];
        });
        resolve(new Response(responseText, { status, statusText, headers: named }));
      };
      request.onerror = () => {
        end();
        reject(new Error("the connection was lost"));
      };
      request.onabort = () => {
        end();
        reject(abortReason(signal));
      };
      signal?.addEventListener("abort", abort);
      if (signal?.aborted === true) return reject(abortReason(signal));
      request.send(body);
    });
}
