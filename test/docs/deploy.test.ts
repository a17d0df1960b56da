import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import should from "should";
import { parse } from "yaml";
import {
  type Copy,
  composeFile,
  configFiles,
  configFolder,
  copyInCompose,
  copyInKubernetes,
  kubernetesObjects,
  kustomizationFor,
  namesInEnvFile,
  type PodSpec,
  podOf,
  readDeployed,
  root,
} from "./manifests.ts";

const KUBERNETES = ["kubernetes.yaml", "kubernetes-volume.yaml"] as const;
const copies: Record<string, (text: string) => Copy> = {
  "kubernetes.yaml": copyInKubernetes,
  "kubernetes-volume.yaml": copyInKubernetes,
  "compose.yaml": copyInCompose,
};
/** How long Node-RED waits for a node that stops, unless its settings say otherwise. */
const NODE_CLOSE_SECONDS = 15;
/** Read by Node.js. */
const OF_NODE = ["NODE_OPTIONS"];

/** Every variable that our code, or Node-RED by its flow and settings, reads. */
function readVariables(): Set<string> {
  const sources = ["nodes", "plugins", "src"].flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(root, part, file), "utf8")),
  );
  const inCode = [...sources.join("\n").matchAll(/process\.env\.([A-Z_]+)|"(CREC_[A-Z_]+)"/g)];
  return new Set([...inCode.map(([, one, two]) => one ?? two ?? ""), ...neededVariables()]);
}

/** Those that the flow, its credentials and its settings read. */
function neededVariables(): string[] {
  const found = configTexts()
    .join("\n")
    .matchAll(/\$\{([A-Z_]+)\}|process\.env\.([A-Z_]+)/g);
  return [...found].map(([, one, two]) => one ?? two ?? "");
}

function configTexts(): string[] {
  return readdirSync(configFolder).map((file) => readFileSync(join(configFolder, file), "utf8"));
}

const referencesIn = (text: string) => [...text.matchAll(/\$\(([A-Z_]+)\)/g)].map(([, name = ""]) => name);

/** Variables of a manifest that nothing reads. */
function unread(text: string, { env }: Copy): string[] {
  const read = readVariables();
  const names = [...namesInEnvFile(), ...env.map(({ name }) => name)];
  const referred = referencesIn(text);
  // That of Redis is in the environment file of both, and used where there is a Redis.
  const known = [...OF_NODE, ...referred, ...referencesIn(readDeployed("kubernetes.yaml"))];
  return names.filter((name) => !read.has(name) && !known.includes(name));
}

/** Paths that the settings name, and no volume has. */
function unmounted({ args, env, mounts, ready }: Copy): string[] {
  const paths = [...args, ...env.map(({ value }) => value), ...ready].filter((text) => text.startsWith("/"));
  return paths.filter((path) => !mounts.some((mount) => `${path}/`.startsWith(`${mount.path}/`)));
}

describe("the guide to deploying", () => {
  it("names each field that is a credential, and no other", () => {
    const page = readFileSync(join(root, "docs/deploying.md"), "utf8");
    const [, table = ""] = /\| node \| fields \|\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const tables = readdirSync(join(root, "nodes"))
      .map((node) => join(root, "nodes", node, "fields.ts"))
      .filter((file) => existsSync(file));
    const credentials = tables.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(\w+): \{\s*kind: "credential"/g)].map(([, name]) => name),
    );
    should(named.sort()).deepEqual(credentials.sort());
  });
});

describe("the files of the guide to deploying", () => {
  for (const [file, read] of Object.entries(copies)) {
    describe(file, () => {
      const text = readDeployed(file);
      const copy = read(text);

      it("sets only variables that something reads, and all that the flow and the settings need", () => {
        should(unread(text, copy)).be.empty();
        const given = [...namesInEnvFile(), ...copy.env.map(({ name }) => name), "PORT"];
        should(neededVariables().filter((name) => !given.includes(name))).be.empty();
        // A wrong one is found.
        const wrong = text.replace("CREC_STATE_DIR", "CREC_STATE_DIRECTORY");
        should(unread(wrong, read(wrong))).deepEqual(["CREC_STATE_DIRECTORY"]);
      });

      it("keeps the state, and only that, on a volume that can be written", () => {
        should(unmounted(copy)).be.empty();
        const state = copy.env.find(({ name }) => name === "CREC_STATE_DIR")?.value;
        should(copy.mounts.filter(({ isReadOnly }) => !isReadOnly).map(({ path }) => path)).deepEqual([
          state,
          "/tmp",
        ]);
        const wrong = text.replace(/(CREC_STATE_DIR\W+(?:value: )?)\/data/, "$1/state");
        should(unmounted(read(wrong))).deepEqual(["/state"]);
      });

      it("gives Node-RED more time to stop than Node-RED gives its nodes", () => {
        should(copy.graceSeconds).be.above(NODE_CLOSE_SECONDS);
      });
    });
  }

  for (const file of KUBERNETES) {
    describe(file, () => {
      const objects = kubernetesObjects(readDeployed(file));
      const pods = objects.flatMap(({ spec, metadata }) =>
        spec.template === undefined ? [] : [{ name: metadata.name, spec, pod: spec.template.spec }],
      );

      it("has pods that run without rights", () => {
        should(pods.length).be.above(0);
        for (const { pod } of pods) hasNoRights(pod);
      });

      it("leads from each service and probe to a port, and from each selector to pods", () => {
        for (const { spec, pod } of pods) {
          should(spec.template?.metadata.labels).deepEqual(spec.selector?.matchLabels);
          const [{ ports, startupProbe, livenessProbe, readinessProbe }] = pod.containers;
          for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
            const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
            if (port !== undefined) should(port).equal(ports[0].name);
          }
        }
        for (const { spec } of objects.filter(({ kind }) => kind === "Service")) {
          const behind = pods.filter((one) => one.spec.template?.metadata.labels.app === spec.selector?.app);
          should(behind).have.length(1);
          const [port] = behind[0]?.pod.containers[0].ports ?? [];
          should(spec.ports?.[0]).have.properties({ port: port?.containerPort, targetPort: port?.name });
        }
        const [port] = podOf(objects, "crec").containers[0].ports;
        const dockerfile = readFileSync(join(root, "containers/node-red/Dockerfile"), "utf8");
        should(dockerfile).match(new RegExp(`\\bPORT=${port.containerPort}\\b`));
      });
    });
  }

  it("two copies share their state, and one that fails stops the rollout", () => {
    const objects = kubernetesObjects(readDeployed("kubernetes.yaml"));
    const deployment = objects.find(({ kind }) => kind === "Deployment")?.spec;
    should(deployment?.replicas).equal(2);
    should(deployment?.strategy?.rollingUpdate?.maxUnavailable).equal(0);
    const { periodSeconds = 10, failureThreshold = 3 } =
      podOf(objects, "crec").containers[0].readinessProbe ?? {};
    should(deployment?.minReadySeconds).be.above(periodSeconds * failureThreshold);
    const url = copyInKubernetes(readDeployed("kubernetes.yaml")).env.find(
      ({ name }) => name === "CREC_FLEET_URL",
    );
    const service = objects.find(
      ({ kind, metadata }) => kind === "Service" && metadata.name === "crec-redis",
    );
    should(url?.value).endWith(`@${service?.metadata.name}:${service?.spec.ports?.[0]?.port}`);
    // Kubernetes only refers to variables that come before.
    const names = podOf(objects, "crec").containers[0].env.map(({ name }) => name);
    should(names.indexOf("REDIS_PASSWORD")).be.within(0, names.indexOf("CREC_FLEET_URL") - 1);
  });

  it("Redis keeps what it has: on a volume, at once, without evicting", () => {
    const objects = kubernetesObjects(readDeployed("kubernetes.yaml"));
    const [{ args, volumeMounts }] = podOf(objects, "crec-redis").containers;
    should(args).containDeep(["--appendonly yes", "--appendfsync always", "--maxmemory-policy noeviction"]);
    should(args).containEql(`--dir ${volumeMounts[0]?.mountPath}`);
    const claims = objects.flatMap(({ spec }) => spec.volumeClaimTemplates ?? []);
    should(claims.map(({ metadata }) => metadata.name)).containEql(volumeMounts[0]?.name);
  });

  it("one copy ends before the next one starts, since only one can have the volume", () => {
    const objects = kubernetesObjects(readDeployed("kubernetes-volume.yaml"));
    const deployment = objects.find(({ kind }) => kind === "Deployment")?.spec;
    should(deployment).containDeep({ replicas: 1, strategy: { type: "Recreate" } });
    const claim = objects.find(({ kind }) => kind === "PersistentVolumeClaim")?.metadata.name;
    const claimed = podOf(objects, "crec").volumes?.map((volume) => volume.persistentVolumeClaim?.claimName);
    should(claimed).containEql(claim);
  });

  it("Compose runs it without rights, on a root file system that cannot be written", () => {
    const service = composeFile(readDeployed("compose.yaml")).services["node-red"];
    should(service).containDeep({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    should(service.user).not.startWith("0");
    should(service.ports).deepEqual(["127.0.0.1:1880:1880"]);
  });

  it("the kustomization has all files, the names of the manifests, and patches that fit them", () => {
    const kustomization = kustomizationFor(readDeployed("kustomization.yaml"));
    const [{ name: map }] = kustomization.configMapGenerator;
    const [{ name: secret }] = kustomization.secretGenerator;
    should(configFiles(kustomization).sort()).deepEqual(
      readdirSync(configFolder)
        .sort()
        .map((file) => join(configFolder, file)),
    );
    for (const file of KUBERNETES) {
      const text = readDeployed(file);
      should(existsSync(join(root, "docs/deploy", kustomization.resources[0] ?? ""))).be.true();
      const objects = kubernetesObjects(text);
      should(podOf(objects, "crec").volumes).containDeep([{ configMap: { name: map } }]);
      should(podOf(objects, "crec").containers[0].envFrom).deepEqual([{ secretRef: { name: secret } }]);
      should(text).containEql(`image: ${kustomization.images[0].name}\n`);
      const pods = objects.filter(({ spec }) => spec.template !== undefined);
      const [{ target, patch } = { target: { kind: "" }, patch: "" }] = kustomization.patches ?? [];
      const patched = pods.filter(({ kind }) => new RegExp(`^(?:${target.kind})$`).test(kind));
      should(patched).deepEqual(pods);
      const removed = (parse(patch) as Array<{ path: string }>).map(({ path }) => path.split("/").slice(1));
      for (const path of removed) for (const pod of pods) should(pod).have.propertyByPath(...path);
    }
  });
});

function hasNoRights(pod: PodSpec): void {
  should(pod).have.properties({ enableServiceLinks: false, automountServiceAccountToken: false });
  should(pod.securityContext).containDeep({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  should(pod.securityContext.runAsUser).be.above(0);
  should(pod.containers[0].securityContext).deepEqual({
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    readOnlyRootFilesystem: true,
  });
}
