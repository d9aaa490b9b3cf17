import { createContext, createElement, useContext, type ReactNode } from "react";
import { EngineError } from "../../base/error.ts";
import type { EdgecrewClient } from "../edgecrew-client.ts";

const Client = createContext<EdgecrewClient | undefined>(undefined);

/** Provides the client for all hooks below. */
export function EdgecrewProvider({
  client,
  children,
}: {
  readonly client: EdgecrewClient;
  readonly children?: ReactNode;
}): ReactNode {
  return createElement(Client.Provider, { value: client }, children);
}

/** Options of every hook. */
export type HookOptions = {
  /** @default the client of the provider */
  readonly client?: EdgecrewClient | undefined;
};

/** Returns the passed client, or else the provider's. */
export function useEdgecrew({ client }: HookOptions = {}): EdgecrewClient {
  const provided = useContext(Client);
  const found = client ?? provided;
  if (found !== undefined) return found;
  throw new EngineError(
    "invalid_input",
    "no client: put <EdgecrewProvider client={client}> around the component, or pass { client }",
  );
}
