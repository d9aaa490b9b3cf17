import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import type { TargetRow } from "../../api-types.ts";
import { targetsOf } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Empty, Failed, Loading } from "../../shell/states.tsx";
import { summaryOf } from "../definitions/summary.ts";
import { Sessions } from "./sessions.tsx";
import { TalkView } from "./talk-view.tsx";
import type { ChatKind } from "./talk.ts";
import "./chat.css";

const WORDS: Readonly<Record<ChatKind, string>> = {
  agent: "agent",
  crew: "crew",
  flow: "conversational flow",
  conversation: "group chat",
};
const KINDS = Object.keys(WORDS) as readonly ChatKind[];

export function ChatPage() {
  const { kind, name, session }: { kind?: string; name?: string; session?: string } = useParams({
    strict: false,
  });
  const known = KINDS.find((each) => each === kind);
  useEffect(() => {
    document.title = `${name === undefined ? "Chat" : `Chat with ${name}`} · Edgecrew`;
  }, [name]);
  if (kind !== undefined && known === undefined)
    return (
      <Empty title="There is no page at this address">
        <p>One talks with an agent, a crew, a flow or a conversation.</p>
      </Empty>
    );
  if (name === undefined || known === undefined)
    return (
      <div className="page">
        <ChooseTarget only={known} />
      </div>
    );
  return (
    <div className="page chat-page">
      <h1 className="unseen">Chat with {name}</h1>
      <Sessions kind={known} name={name} chosen={session} />
      <TalkView
        key={`${known} ${name} ${session ?? ""}`}
        kind={known}
        name={name}
        session={session}
      />
    </div>
  );
}

/** Only conversational flows can chat. */
function talks(kind: ChatKind, target: TargetRow): boolean {
  return kind !== "flow" || (target as { readonly conversational?: true }).conversational === true;
}

async function readTargets(kinds: readonly ChatKind[]) {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await targetsOf(kind).list({ limit: 200 });
      return items.filter((target) => talks(kind, target)).map((target) => ({ kind, target }));
    }),
  );
  return lists.flat();
}

function ChooseTarget({ only }: { readonly only: ChatKind | undefined }) {
  const query = useQuery({
    queryKey: ["chat", "targets", only],
    queryFn: () => readTargets(only === undefined ? KINDS : [only]),
  });
  return (
    <>
      <div className="page-head">
        <h1>Chat</h1>
        <span className="soft">Agents, crews, flows and conversations</span>
      </div>
      {query.data === undefined ? (
        query.error === null ? (
          <Loading />
        ) : (
          <Failed error={query.error} again={() => void query.refetch()} />
        )
      ) : query.data.length === 0 ? (
        <Empty title="No agents to talk with">
          <p>
            An agent, a crew, a conversational flow or a group chat that the app names appears here.
          </p>
        </Empty>
      ) : (
        <ul className="targets">
          {query.data.map(({ kind, target }) => (
            <li key={`${kind} ${target.name}`} className="card target">
              <Link
                to="/chat/$kind/$name"
                params={{ kind, name: target.name }}
                className="target-name"
              >
                <Icon name={kind} /> <PlainText text={target.name} />
              </Link>
              <p className="soft two-lines">
                <PlainText text={summaryOf(target)} />
              </p>
              <p className="small soft">{WORDS[kind]}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
