// Code Buddy's A2A routes: `/api/a2a`.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { checkOutboundUrl } from "../../security/outbound.ts";
import { newId } from "./agent-client.ts";
import { cardOf, readCard, workerCard } from "./cards.ts";
import { readLooseMessage } from "./messages.ts";
import type { AcpSettings } from "./options.ts";
import { chooseTarget } from "./remote-agents.ts";
import { asRefusal, Refusal } from "./refusal.ts";
import { routesOf } from "./routes.ts";
import { taskView } from "./run-codec.ts";
import {
  acpBodies,
  AGENT_NAME_PATTERN,
  acpAnswerShape,
  acpCardShape,
  acpRoutedTaskShape,
  acpTaskShape,
} from "./shapes.ts";
import type { TaskDesk } from "./tasks.ts";

export function a2aRoutes(
  host: PartHost,
  settings: AcpSettings,
  desk: TaskDesk,
): readonly Operation[] {
  const route = routesOf(host, "Agent communication");
  const bodies = acpBodies(settings.strict);
  const { remotes } = desk.store;
  const { strict, waitMs } = settings;
  const answer = { shape: acpAnswerShape } as const;

  return [
    route(
      {
        id: "acpWorkerCard",
        method: "get",
        path: "/api/a2a/.well-known/agent.json",
        scope: "none",
        summary: "Show the card of this Worker",
        shape: acpCardShape,
      },
      async ({ raw }) => ({
        json: workerCard(await desk.exposed.inPublic(), { settings, host, request: raw }),
      }),
    ),
    route(
      {
        ...answer,
        id: "acpListAgents",
        method: "get",
        path: "/api/a2a/agents",
        scope: "read",
        summary: "List agents, here and elsewhere",
      },
      async ({ tenant, raw }) => {
        const local = await desk.exposed.list(tenant);
        const place = { settings, host, request: raw };
        const agents = local.map((each) => ({ name: each.key, card: cardOf(each, place) }));
        return { json: { agents, remoteAgents: await remotes.list(tenant) } };
      },
    ),
    route(
      {
        ...answer,
        id: "acpAgentsBySkill",
        method: "get",
        path: "/api/a2a/agents/by-skill/{skillId}",
        scope: "read",
        summary: "List the agents that have a skill",
      },
      async ({ tenant, raw, params: { skillId: skill = "" } }) => {
        const agents = (await withSkill(tenant, skill, raw)).map(({ name }) => name);
        return { json: { skill, agents } };
      },
    ),
    route(
      {
        id: "acpSendTask",
        method: "post",
        path: "/api/a2a/tasks/send",
        scope: "run",
        summary: "Submit a task to an agent, or to the best one with a skill",
        shape: acpRoutedTaskShape,
        refuses: [404, 429],
        body: {
          name: "AcpTaskFor",
          schema: bodies.AcpTaskFor,
          example: (subject) => {
            const { key: agent, text: message } = desk.exposed.example(subject);
            return { agent, message };
          },
        },
      },
      async ({ tenant, callerId, raw, read }) => {
        const { agent, skill, message } = await read();
        const target = agent ?? skill;
        if (!target || !message) throw new Refusal(400, "Missing required fields: agent, message");
        for (const [field, value] of Object.entries({ agent, skill }))
          if (value !== undefined && value !== null && typeof value !== "string")
            throw new Refusal(400, `${field} must be a string, got ${preview(value)}`);
        const said = readLooseMessage(message, strict);
        const named = {
          agent: typeof agent === "string" ? agent : undefined,
          skill: typeof skill === "string" ? skill : undefined,
        };
        const routedTo = await chosen(tenant, named, raw);
        await settings.admit({
          tenant,
          callerId,
          subject: routedTo,
          route: "/api/a2a/tasks/send",
          request: raw,
        });
        const id = newId("task", host.clock.now());
        const sent = { id, sender: callerId, agent: routedTo, message: said };
        const { task } = await desk.send(tenant, sent);
        const { task: now, run } = await desk.settled(task, waitMs);
        const { status, result, artifacts } = taskView(now, { run });
        return { json: { id, status, result, artifacts, routedTo } };
      },
    ),
    route(
      {
        id: "acpGetTask",
        method: "get",
        path: "/api/a2a/tasks/{id}",
        scope: "read",
        summary: "Show a task",
        shape: acpTaskShape,
        refuses: [404],
      },
      async ({ tenant, params: { id = "" } }) => {
        const { task, run } = await desk.get(tenant, id);
        const { sessionId: _, ...view } = taskView(task, { run });
        return { json: view };
      },
    ),
    route(
      {
        ...answer,
        id: "acpCancelTask",
        method: "post",
        path: "/api/a2a/tasks/{id}/cancel",
        scope: "run",
        summary: "Cancel a task",
        refuses: [404],
      },
      async ({ tenant, params: { id = "" } }) => {
        if (await desk.cancel(tenant, id)) return { json: { cancelled: true, id } };
        throw new Refusal(404, "Task not found or already completed");
      },
    ),
    route(
      {
        ...answer,
        id: "acpRegister",
        method: "post",
        path: "/api/a2a/agents/register",
        scope: "admin",
        summary: "Register an agent elsewhere",
        description: "Tasks for its name and skills are sent to its url.",
        refuses: [409],
        body: {
          name: "AcpRegistration",
          schema: bodies.AcpRegistration,
          example: {
            name: "reviewer",
            url: "https://reviewer.example.com",
            card: { skills: [{ id: "review", name: "Review", description: "Reviews code" }] },
          },
        },
      },
      async ({ tenant, read }) => {
        const { name, url, card: sent } = await read();
        if (typeof name !== "string" || !AGENT_NAME_PATTERN.test(name))
          throw new Refusal(400, "name (string of at most 128 characters) is required");
        if (typeof url !== "string" || url === "")
          throw new Refusal(400, "url (string) is required");
        const card = readCard(sent, { name, url });
        if (card === undefined) throw new Refusal(400, "card.skills (array) is required");
        try {
          checkOutboundUrl(url, "url", host.placeOf(tenant).outbound);
        } catch (error) {
          throw asRefusal(error);
        }
        if ((await desk.exposed.find(tenant, name)) !== undefined)
          throw new Refusal(409, `${name} is an agent of this Worker`);
        await remotes.put(tenant, name, { url, card, lastHeartbeat: host.clock.now() });
        return { json: { status: "registered", agent: name, url } };
      },
    ),
    route(
      {
        ...answer,
        id: "acpHeartbeat",
        method: "post",
        path: "/api/a2a/agents/{name}/heartbeat",
        scope: "run",
        summary: "Confirm that a registered agent is alive",
        refuses: [404],
      },
      async ({ tenant, params: { name = "" } }) => {
        if (!(await remotes.touch(tenant, name, host.clock.now()))) throw notRegistered();
        return { json: { status: "ok", agent: name } };
      },
    ),
    route(
      {
        ...answer,
        id: "acpUnregister",
        method: "delete",
        path: "/api/a2a/agents/{name}",
        scope: "admin",
        summary: "Forget a registered agent",
        refuses: [404],
      },
      async ({ tenant, params: { name = "" } }) => {
        if (!(await remotes.delete(tenant, name))) throw notRegistered();
        return { json: { status: "ok", agent: name } };
      },
    ),
  ];

  /** Lists agents with a skill, those of this Worker first. */
  async function withSkill(tenant: string, skill: string, request: Request): Promise<Candidate[]> {
    const place = { settings, host, request };
    const has = ({ skills }: { skills: ReadonlyArray<{ id: string }> }): boolean =>
      skills.some(({ id }) => id === skill);
    const local = await desk.exposed.list(tenant);
    const remote = await remotes.list(tenant);
    return [
      ...local.filter((each) => has(cardOf(each, place))).map(({ key }) => ({ name: key })),
      ...remote.filter(({ card }) => has(card)),
    ];
  }

  async function chosen(
    tenant: string,
    target: Parameters<typeof chooseTarget>[0],
    request: Request,
  ): Promise<string> {
    try {
      const { agent, skill } = target;
      const candidates =
        agent === undefined && skill !== undefined ? await withSkill(tenant, skill, request) : [];
      return chooseTarget(target, candidates, host.clock.now());
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found")
        throw new Refusal(404, error.message);
      throw asRefusal(error);
    }
  }
}

type Candidate = { readonly name: string; readonly lastHeartbeat?: number };

function notRegistered(): Refusal {
  return new Refusal(404, "agent not registered");
}
