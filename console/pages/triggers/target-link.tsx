import { Link } from "@tanstack/react-router";

type Target = { readonly kind: "crew" | "flow" | "agent"; readonly name: string };

export function TargetLink({ target: { kind, name } }: { readonly target: Target }) {
  return (
    <Link to={`/${kind}s/$name` as "/crews/$name"} params={{ name }}>
      {kind} {name}
    </Link>
  );
}
