import { useLocation } from "@tanstack/react-router";
import type { TargetKind } from "../../api-types.ts";

export type TargetPath = "/crews" | "/flows" | "/agents" | "/conversations";

const KINDS: Readonly<Record<TargetPath, TargetKind>> = {
  "/crews": "crew",
  "/flows": "flow",
  "/agents": "agent",
  "/conversations": "conversation",
};

/** Which of the four pages this is: `/crews/briefing` is of crews. */
export function useTargetPath(): {
  readonly path: TargetPath;
  readonly kind: TargetKind;
  readonly name: string;
} {
  const [, folder = "crews", name = ""] = useLocation().pathname.split("/");
  const path = `/${folder}` as TargetPath;
  return { path, kind: KINDS[path], name: decodeURIComponent(name) };
}
