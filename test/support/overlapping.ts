type Drawn = { name?: string; type: string; x: number; y: number; w: number; h: number };
type Editor = {
  RED: {
    nodes: { filterNodes(filter: { z: string }): Drawn[] };
    workspaces: { active(): string };
  };
};

/**
 * Pairs of nodes in the open tab that lie over each other. Our nodes, and some others, have a status of up to 32
 * characters below them. It runs in the page of the editor.
 */
export function overlapping(): string[] {
  const { RED } = globalThis as unknown as Editor;
  // By words of the service alone, or up to 32 characters, in the font of statuses.
  const ofService = ["crec-manage", "crec-create-watcher", "crec-run-query", "crec-account", "crec-api"];
  const boxes = RED.nodes
    .filterNodes({ z: RED.workspaces.active() })
    .flatMap(({ name, type, x, y, w, h }) => {
      const button = { inject: 25, debug: 25 }[type] ?? 0;
      const left = x - w / 2 - (type === "inject" ? button : 0);
      const right = x + w / 2 + (type === "debug" ? button : 0);
      const [top, bottom] = [y - h / 2, y + h / 2];
      const box = { of: name || type, name: name || type, left, right, top, bottom };
      if (!type.startsWith("crec-") && type !== "mqtt out") return [box];
      const width = ofService.includes(type) ? 100 : 165;
      const status = { left: x - w / 2, right: x - w / 2 + width, top: bottom, bottom: bottom + 16 };
      return [box, { of: box.of, name: `the status of ${box.name}`, ...status }];
    });
  return boxes.flatMap((a, index) =>
    boxes
      .slice(index + 1)
      .filter((b) => a.of !== b.of)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.name} and ${b.name}`),
  );
}
