import { type FastifyError, type FastifyReply, fastify } from "fastify";
import { isMissingState, isUnreachable } from "../chain/node/refusals.ts";
import { NotMined } from "../chain/relayer.ts";
import type { Context } from "../context.ts";
import { ApiError, conflict, forbidden, messageOf } from "../errors.ts";
import type { Lifecycles } from "../lifecycles/lifecycles.ts";
import type { Log } from "../log.ts";
import { storageProblem } from "../store/database.ts";
import { authorization, isLocalRequest } from "./access.ts";
import { channelRoutes } from "./channels.ts";
import { answerClientError, refuseExpectations, refuseTunnels } from "./client-errors.ts";
import { compressAnswers } from "./compression.ts";
import { eventRoutes } from "./events.ts";
import { type Account, graphqlRoutes, refuseAccount } from "./graphql.ts";
import { injectFaults, note } from "./local/inject-faults.ts";
import {
  type FlowVariablesAt,
  isOpenedInTab,
  NODE_RED_PATH,
  PAGE_PATHS,
  refuseOtherPages,
} from "./local/pages.ts";
import { localRoutes } from "./local/routes.ts";
import { healthRoute, networkRoutes } from "./networks.ts";
import { describeApi, descriptionAt } from "./openapi.ts";
import { operationRoutes } from "./operations.ts";
import { queryRoutes } from "./queries.ts";
import type { Routes } from "./routes.ts";
import { type PageFacts, startPageRoute } from "./start-page/start-page.ts";
import { validatorCompiler } from "./validation.ts";
import { walletRoutes } from "./wallets.ts";
import { watcherRoutes } from "./watchers.ts";

export const GRAPHQL_PATH = "/graphql";

/** Room for 16 transactions with large calldata, and for a large ABI. */
const BODY_LIMIT = 2 * 1024 * 1024;

/** Paths that need no key. */
const ANONYMOUS = new Set(["/health-check", "/openapi.json"]);

/** How long a request may take to arrive: enough for the largest body at 70 kB per second. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often that is checked. */
const REQUEST_CHECK_MS = 1000;

/** How long a client has for a last request when the service stops, which is refused. */
const CLOSE_GRACE_MS = 800;
/** How long a running request may take then. */
export const CLOSE_LIMIT_MS = 1_500;

const STOPPING = "The service is stopping and takes no new requests. Try again when it runs.";

type ServerOptions = {
  /** The accepted API keys. */
  apiKeys: readonly string[];
  account: Account;
  page: PageFacts;
  /** Whether the endpoints under /local are enabled. */
  local: boolean;
  flowVariablesAt: FlowVariablesAt;
  /** Whether it listens only on a loopback address, and so refuses requests from elsewhere. */
  loopback: boolean;
  /** How long a request may take to arrive. Default: 30 s. */
  requestTimeoutMs?: number | undefined;
};

/** The service's HTTP interface, not yet listening. */
export async function createServer(
  context: Context,
  lifecycles: Lifecycles,
  options: ServerOptions,
): Promise<Routes> {
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const app: Routes = fastify({
    requestTimeout,
    http: {
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(REQUEST_CHECK_MS, requestTimeout),
      // Otherwise Node answers itself, with an empty body. `isLocalRequest` checks the host.
      requireHostHeader: false,
    },
    clientErrorHandler: answerClientError,
    // An invalid path never reaches a route.
    frameworkErrors: (error, _request, reply) => {
      const answer = toApiError(error);
      (reply as FastifyReply).code(answer.status).send(answer.body);
    },
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: "idle",
    // Fastify's own answer is not in the format of the contract. `refuseWhileStopping` gives another one.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
  });
  refuseExpectations(app.server);
  refuseTunnels(app.server);
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    let answer = toApiError(error);
    if (answer.status >= 500 && !(error instanceof ApiError)) {
      const problem = storageProblem(error, context.store.dataDir);
      context.log.error(`An answer failed: ${messageOf(problem ?? error)}`);
      if (problem !== undefined) answer = failed(problem.message);
    }
    reply.code(answer.status).send(answer.body);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0];
    const isClosed = !options.local && /^\/local(\/|$)/.test(path ?? "");
    const message = isClosed
      ? "The endpoints under /local are for testers and disabled. Start the service with --local or CREC_LOCAL=on to enable them."
      : `There is no ${request.method} ${path} here.`;
    reply.code(404).send({ type: "NOT_FOUND", message });
  });
  refuseWhileStopping(app);
  if (context.log.isLevelEnabled("debug")) logRequests(app, context.log);
  if (options.loopback) {
    app.addHook("onRequest", (request, _reply, done) => {
      if (isLocalRequest(request.headers)) return done();
      throw forbidden(
        "This service answers only programs of this machine that call it 127.0.0.1, localhost or [::1].",
      );
    });
  }
  const isAuthorized = authorization(options.apiKeys);
  app.addHook("onRequest", (request, reply, done) => {
    const path = request.url.split("?", 1)[0] ?? "";
    // Browsers send no key. The page shows addresses of the service, so it is only for this machine.
    if (path === "/" && options.loopback) return done();
    if (isPartOfPage(path, options)) {
      const { headers } = request;
      if (path !== NODE_RED_PATH || !isOpenedInTab(headers)) refuseOtherPages(headers["sec-fetch-site"]);
      return done();
    }
    if (ANONYMOUS.has(path) || isAuthorized(request.headers.authorization)) return done();
    const message =
      "The API key is missing or not the right one. Send the header Authorization: Apikey <key>.";
    if (path === GRAPHQL_PATH) refuseAccount(reply, message, context.injected.graphqlAuth);
    else reply.code(401).send({ type: "UNAUTHORIZED", message });
  });
  if (options.local)
    injectFaults(app, context.injected.faults, (what) => note(context, "faults", "applied", what));
  compressAnswers(app);

  await describeApi(app);
  // At the root, so that /local has the same base URL.
  await app.register(async (api: Routes) => {
    healthRoute(api, context);
    networkRoutes(api, context);
    channelRoutes(api, context);
    watcherRoutes(api, context);
    walletRoutes(api, context);
    operationRoutes(api, context);
    queryRoutes(api, context, lifecycles.queries);
    eventRoutes(api, context);
  });
  graphqlRoutes(app, GRAPHQL_PATH, options.account);
  if (options.local) {
    await app.register(async (local: Routes) => localRoutes(local, context, options.flowVariablesAt), {
      prefix: "/local",
    });
  }
  startPageRoute(app, context, options.page);
  app.get("/openapi.json", { schema: { hide: true } }, ({ headers }) => descriptionAt(app, headers.host));
  return app;
}

/** At a stop, running requests can finish, but new ones are refused, and an idle client must not delay it. */
function refuseWhileStopping(app: Routes): void {
  let [isStopping, isLate, running] = [false, false, 0];
  const closeIfIdle = () => {
    if (isLate && running === 0) app.server.closeAllConnections();
  };
  app.addHook("preClose", async () => {
    isStopping = true;
    setTimeout(() => {
      isLate = true;
      closeIfIdle();
    }, CLOSE_GRACE_MS).unref();
    setTimeout(() => app.server.closeAllConnections(), CLOSE_LIMIT_MS).unref();
  });
  app.addHook("onResponse", (_request, _reply, done) => {
    running -= 1;
    closeIfIdle();
    done();
  });
  // The only hook with a promise: nothing is answered before the parser has read the packet, which can be invalid.
  app.addHook("onRequest", async () => {
    running += 1;
    if (isStopping) throw new ApiError(503, { type: "INTERNAL_ERROR", message: STOPPING });
  });
}

/**
 * Whether the start page asks for this itself, or links to it. That needs no key where the key is public: each program
 * of this machine could read the same with it.
 */
function isPartOfPage(path: string, { loopback, page }: ServerOptions): boolean {
  return (PAGE_PATHS.has(path) || path === NODE_RED_PATH) && loopback && page.apiKey !== undefined;
}

/** One line for each answer, with the path only: no query, headers or body. */
function logRequests(app: Routes, log: Log): void {
  app.addHook("onResponse", async (request, reply) => {
    const path = request.url.split("?", 1)[0];
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    log.debug({ method: request.method, path, status: reply.statusCode, ms }, "answered");
  });
}

/** Any error in the format of the contract. */
function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnreachable(error)) {
    return conflict("The chain does not answer. Try again when it does.", "CHAIN_UNAVAILABLE");
  }
  if (isMissingState(error)) {
    return conflict("The node does not have its newest block at the moment. Try again.", "CHAIN_UNAVAILABLE");
  }
  if (error instanceof NotMined) return conflict(error.message, "CHAIN_UNAVAILABLE");
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    return new ApiError(status, { type: "VALIDATION_ERROR", message: error.message });
  }
  return failed("The local service failed; its log says why.");
}

function failed(message: string): ApiError {
  return new ApiError(500, { type: "INTERNAL_ERROR", message });
}
