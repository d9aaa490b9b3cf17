import type { TargetDetails } from "../../api-types.ts";

export default function CrewEvaluations({ target }: { readonly target: TargetDetails }) {
  return <p>{target.name}</p>;
}
