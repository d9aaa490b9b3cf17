import { useLocation } from "@tanstack/react-router";
import { START_KINDS, START_SECTIONS } from "../../../src/client/start-kinds.ts";
import type { TargetKind } from "../../api-types.ts";

export type TargetPath = `/${(typeof START_SECTIONS)[TargetKind]}`;

const KINDS = Object.fromEntries(
  START_KINDS.map((kind) => [`/${START_SECTIONS[kind]}`, kind]),
) as Readonly<Record<TargetPath, TargetKind>>;

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
