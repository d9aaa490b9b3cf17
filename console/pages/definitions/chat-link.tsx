import { Link } from "@tanstack/react-router";
import type { TargetKind } from "../../api-types.ts";
import { Icon } from "../../parts/icon.tsx";

type Props = { readonly kind: TargetKind; readonly name: string };

export function ChatLink({ kind, name }: Props) {
  return (
    <Link to="/chat/$kind/$name" params={{ kind, name }} className="button small">
      <Icon name="chat" size={13} /> Chat
      <span className="unseen"> with {name}</span>
    </Link>
  );
}
