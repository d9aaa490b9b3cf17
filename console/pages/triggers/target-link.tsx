import { Link } from "@tanstack/react-router";
import { START_SECTIONS } from "../../../src/client/start-kinds.ts";
import type { TriggerTarget } from "./use-targets.ts";

export function TargetLink({ target: { kind, name } }: { readonly target: TriggerTarget }) {
  return (
    <Link to={`/${START_SECTIONS[kind]}/$name` as "/crews/$name"} params={{ name }}>
      {kind} {name}
    </Link>
  );
}
