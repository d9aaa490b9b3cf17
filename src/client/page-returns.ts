type Target = {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
};

/** Members of a page used by the client. */
type Page = {
  readonly document?: Target & { readonly hidden: boolean; readonly defaultView?: Target | null };
};

/** Calls back when a page is online or visible again, until the returned function is called. Other platforms never are. */
export function onReturn(callback: () => void): () => void {
  const { document } = globalThis as unknown as Page;
  const window = document?.defaultView;
  const shown = (): void => {
    if (document?.hidden === false) callback();
  };
  window?.addEventListener("online", callback);
  document?.addEventListener("visibilitychange", shown);
  return () => {
    window?.removeEventListener("online", callback);
    document?.removeEventListener("visibilitychange", shown);
  };
}
