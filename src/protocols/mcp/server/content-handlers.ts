// `resources/*`, `prompts/*` and `completion/complete`.
import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import { preview } from "../../../base/json.ts";
import { listedPrompt, promptAnswer } from "./prompts.ts";
import { badParams, guarded, requesterOf, type ServerAt } from "./server-context.ts";

const MAX_COMPLETIONS = 100;

/** Registers listing and reading, and in a session subscribing. */
export function handleResources(at: ServerAt): void {
  const { server, resources, subscriptions } = at;
  server.setRequestHandler("resources/list", ({ params }) =>
    guarded(at, async () => {
      const page = await resources.list(at.identity, params?.cursor);
      if (page === undefined) throw badParams(`the cursor is not one of an earlier page`);
      return page as never;
    }),
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: resources.templates() as never,
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) =>
    guarded(at, async () => {
      const contents = await resources.read(uri, requesterOf(at, context));
      if (contents === undefined)
        throw new ResourceNotFoundError(uri, `there is no resource ${preview(uri)}`);
      return { contents: contents as never };
    }),
  );
  if (subscriptions === undefined) return;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) =>
    guarded(at, async () => {
      if (!(await subscriptions.add(uri)))
        throw badParams("the session subscribes to too many resources: unsubscribe from some");
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscriptions.remove(uri);
    return {};
  });
}

/** Registers listing and filling in. */
export function handlePrompts(at: ServerAt): void {
  const { server, identity, prompts } = at;
  server.setRequestHandler("prompts/list", () =>
    guarded(at, async () => {
      const all = await prompts.all(identity.tenant);
      return { prompts: all.map(listedPrompt) as never };
    }),
  );
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    guarded(at, async () => {
      const { name, arguments: values = {} } = params;
      const prompt = await prompts.find(identity.tenant, name);
      if (prompt === undefined) throw badParams(`there is no prompt ${preview(name)}`);
      const missing = (prompt.arguments ?? []).filter(
        (each) => each.required === true && !Object.hasOwn(values, each.name),
      );
      if (missing.length > 0)
        throw badParams(
          `the prompt ${name} needs the arguments ${missing.map((each) => each.name).join(", ")}`,
        );
      const answer = await promptAnswer(prompt, values, {
        requester: requesterOf(at, context),
        responses: context.mcpReq.inputResponses ?? {},
      });
      if ("messages" in answer)
        return {
          ...(prompt.description === undefined ? undefined : { description: prompt.description }),
          messages: answer.messages as never,
        };
      return {
        resultType: "input_required",
        inputRequests: { [answer.name]: answer.request as never },
      };
    }),
  );
}

/** Registers completion of users' input. */
export function handleCompletion(at: ServerAt): void {
  const { server, prompts, resources, identity } = at;
  server.setRequestHandler("completion/complete", ({ params }, context) =>
    guarded(at, async () => {
      const { ref, argument } = params;
      const others = params.context?.arguments ?? {};
      const requester = requesterOf(at, context);
      const asked = { name: argument.name, typed: argument.value, others };
      const values = await (async () => {
        if (ref.type === "ref/resource") return resources.complete(ref.uri, asked, requester);
        const prompt = await prompts.find(identity.tenant, ref.name);
        if (prompt === undefined) return undefined;
        const field = prompt.arguments?.find(({ name }) => name === argument.name);
        return (await field?.complete?.(argument.value, { ...requester, others })) ?? [];
      })();
      if (values === undefined)
        throw badParams(
          `there is no ${ref.type === "ref/prompt" ? `prompt ${preview(ref.name)}` : `form of addresses ${preview(ref.uri)}`}`,
        );
      return {
        completion: {
          values: values.slice(0, MAX_COMPLETIONS),
          total: values.length,
          hasMore: values.length > MAX_COMPLETIONS,
        },
      };
    }),
  );
}
