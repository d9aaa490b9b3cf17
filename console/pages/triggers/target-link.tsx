import { Link } from "@tanstack/react-router";
import { isStartKind, START_SECTIONS } from "../../../src/client/start-kinds.ts";
import type { TriggerTarget } from "./use-targets.ts";

export function TargetLink({ target: { kind, name } }: { readonly target: TriggerTarget }) {
  if (!isStartKind(kind)) return `${kind} ${name}`;
  return (
    <Link to={`/${START_SECTIONS[kind]}/$name` as "/crews/$name"} params={{ name }}>
      {kind} {name}
    </Link>
  );
}
