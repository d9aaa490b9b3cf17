// The messages of a conversation's run: each with its author and its time, live.
import { useState } from "react";
import type { MessageView } from "../../../src/client/index.ts";
import type { RunView } from "../../api-types.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Moment } from "../../parts/time.tsx";
import { Empty, Failed, Loading } from "../../shell/states.tsx";
import { CallArguments } from "./call-arguments.tsx";
import { resultOf } from "./run-result.ts";
import { authorOf, callNames, codeResult, hueOf, messageText, resultsOf } from "./said-message.ts";
import { Speaking, activeCalls } from "./speaking.tsx";
import { useMessages } from "./use-messages.ts";
import { isOver, type LiveRun } from "./use-run.ts";

/** Number of messages shown at first, counted from the end, and of those that one click adds. */
const SHOWN = 50;

type Props = { readonly run: RunView; readonly live: LiveRun };

export default function Transcript({ run, live }: Props) {
  const { messages, isWhole, error, again } = useMessages(run, live);
  const [most, setMost] = useState(SHOWN);
  if (error !== undefined && messages.length === 0) return <Failed error={error} again={again} />;
  if (messages.length === 0 && !isWhole) return <Loading />;
  if (messages.length === 0) return <Empty title="Nothing was said yet" />;
  const names = callNames(messages);
  // The first message is the question, so it stays above the others.
  const [first, ...others] = messages;
  const shown = others.slice(-most);
  const hidden = others.length - shown.length;
  const result = resultOf(run);
  // The summary is the last message unless a model or a function writes another one.
  const isRepeated = messageText(messages.at(-1)?.content ?? "").trim() === result?.text?.trim();
  const summary = isRepeated ? "" : (result?.text ?? "");
  return (
    <section className="card transcript" aria-label="Transcript">
      <header>
        <h2>Transcript</h2>
        <span className="soft small">
          {plural(messages.length, "message")}
          {!isWhole && " so far"}
        </span>
      </header>
      <ol className="said-list">
        {first !== undefined && <SaidMessage key={first.index} message={first} names={names} />}
        {hidden > 0 && (
          <li className="said-gap">
            <button type="button" className="button small" onClick={() => setMost(most + SHOWN)}>
              {formatCount(Math.min(SHOWN, hidden))} earlier messages
            </button>
            {hidden > SHOWN && (
              <button
                type="button"
                className="button small plain"
                onClick={() => setMost(Infinity)}
              >
                All {formatCount(hidden)}
              </button>
            )}
          </li>
        )}
        {shown.map((message) => (
          <SaidMessage key={message.index} message={message} names={names} />
        ))}
        {!isOver(run.status) &&
          activeCalls(live).map(({ key }) => (
            <li key={key}>
              <Speaking words={live.words[key]} />
            </li>
          ))}
      </ol>
      {result !== undefined && (
        <div className="card-foot stack tight">
          {result.reason !== undefined && (
            <p className="soft">
              Ended: <PlainText text={result.reason} />
            </p>
          )}
          {summary !== "" && (
            <section className="stack tight" aria-label="Summary">
              <h3>Summary</h3>
              <Markdown text={summary} />
            </section>
          )}
        </div>
      )}
      {error !== undefined && (
        <p className="card-foot">
          <span className="fault">Later messages could not be read.</span>{" "}
          <button type="button" className="button small" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </section>
  );
}

type SaidProps = {
  readonly message: MessageView;
  /** Names of called tools, by the id of the call. */
  readonly names: ReadonlyMap<string, string>;
};

function SaidMessage({ message, names }: SaidProps) {
  const { index, name, role, at, toolCalls = [], functionCall, omitted } = message;
  const author = authorOf(name);
  const results = resultsOf(message);
  const calls = functionCall === undefined ? toolCalls : [...toolCalls, functionCall];
  const text = results.length > 0 ? "" : messageText(message.content);
  const code = codeResult(text);
  return (
    <li className={`said ${role}`} data-message={index}>
      <span className="said-mark" style={{ "--hue": hueOf(author) } as never} aria-hidden="true">
        {author.charAt(0).toUpperCase()}
      </span>
      <div className="said-body">
        <p className="said-head">
          <strong>
            <PlainText text={author} />
          </strong>
          {role === "system" && <span className="badge">system</span>}
          <span className="soft small">
            {at === undefined ? "at the start" : <Moment at={at} />}
          </span>
        </p>
        {omitted !== undefined && (
          <p className="soft">
            This message has {formatCount(omitted)} characters, and is not shown here. The journal
            has it.
          </p>
        )}
        {code !== undefined ? (
          <div className={`said-result ${code.isGood ? "" : "bad"}`}>
            <span className="small soft">
              <Icon name={code.isGood ? "completed" : "failed"} size={13} /> Code:{" "}
              {code.isGood ? "done" : `failed, exit code ${code.exitCode}`}
            </span>
            {code.output === "" ? (
              <span className="soft">No output</span>
            ) : (
              <LongText text={code.output} isMono />
            )}
          </div>
        ) : (
          text !== "" &&
          (role === "tool" ? <LongText text={text} isMono /> : <Markdown text={text} />)
        )}
        {calls.map((call, place) => (
          <details key={place} className="tool-call" open>
            <summary>
              <Icon name="tool" size={13} /> {call.name}
            </summary>
            <CallArguments text={call.arguments} />
          </details>
        ))}
        {results.map(({ toolCallId, content }, place) => (
          <div key={place} className="said-result">
            <span className="small soft">
              <Icon name="tool" size={13} /> Result of {names.get(toolCallId) ?? "a tool"}
            </span>
            <LongText text={content} isMono />
          </div>
        ))}
      </div>
    </li>
  );
}
