type Drawn = { name?: string; type: string; x: number; y: number; w: number; h: number };
type Editor = {
  RED: {
    nodes: { filterNodes(filter: { z: string }): Drawn[] };
    workspaces: { active(): string };
  };
};

/**
 * Pairs of nodes in the open tab that lie over each other. Our nodes, and some others, have a status below them. It runs
 * in the page of the editor.
 */
export function overlapping(): string[] {
  const { RED } = globalThis as unknown as Editor;
  const boxes = RED.nodes.filterNodes({ z: RED.workspaces.active() }).map(({ name, type, x, y, w, h }) => {
    const button = { inject: 25, debug: 25 }[type] ?? 0;
    const status = type.startsWith("crec-") || type === "mqtt out" ? 16 : 0;
    const left = x - w / 2 - (type === "inject" ? button : 0);
    const right = x + w / 2 + (type === "debug" ? button : 0);
    return { name: name || type, left, right, top: y - h / 2, bottom: y + h / 2 + status };
  });
  return boxes.flatMap((a, index) =>
    boxes
      .slice(index + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.name} and ${b.name}`),
  );
}
