import { useLocation } from "@tanstack/react-router";
import type { TargetKind } from "../../api-types.ts";

export type TargetPath = "/crews" | "/flows" | "/agents" | "/conversations";

const KINDS: Readonly<Record<TargetPath, TargetKind>> = {
  "/crews": "crew",
  "/flows": "flow",
  "/agents": "agent",
  "/conversations": "conversation",
};

/** Returns the kind of target from the address: `/crews/briefing` shows a crew. */
export function useTargetPath(): {
  readonly path: TargetPath;
  readonly kind: TargetKind;
  readonly name: string;
} {
  const [, folder = "crews", name = ""] = useLocation().pathname.split("/");
  const path = `/${folder}` as TargetPath;
  return { path, kind: KINDS[path], name: decodeURIComponent(name) };
}
