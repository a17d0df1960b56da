import {
  type Expression,
  type ObjectExpression,
  type PrivateIdentifier,
  parse,
  type SpreadElement,
} from "acorn";
import { simple } from "acorn-walk";

/** A node type as the flow library sees it. */
export type SeenType = { category?: unknown; color?: unknown; defaults?: string[] };

/**
 * The node types in a form, by the rules of the flow library: it runs nothing, but looks for member calls
 * `.registerType("type", { … })`. Its own parser, of the package node-red-dev, is run by scripts/check-flow-library.mjs.
 *
 * @throws when there is a spread, on which that parser gives up
 */
export function typesIn(html: string): Record<string, SeenType> {
  const seen: Record<string, SeenType> = {};
  for (const [, script = ""] of html.matchAll(
    /<script [^>]*type="text\/javascript"[^>]*>([\s\S]*?)<\/script>/g,
  )) {
    simple(parse(script, { ecmaVersion: "latest" }), {
      CallExpression({ callee, arguments: [type, definition] }) {
        if (callee.type !== "MemberExpression" || nameOf(callee.property) !== "registerType") return;
        if (type?.type !== "Literal" || definition?.type !== "ObjectExpression") return;
        const properties = propertiesOf(definition);
        const defaults = properties.get("defaults");
        seen[String(type.value)] = {
          category: literalOf(properties.get("category")),
          color: literalOf(properties.get("color")),
          ...(defaults?.type === "ObjectExpression" ? { defaults: [...propertiesOf(defaults).keys()] } : {}),
        };
      },
    });
  }
  return seen;
}

function propertiesOf(object: ObjectExpression): Map<string, Expression> {
  return new Map(
    object.properties.map((property) => {
      const name = property.type === "Property" ? nameOf(property.key) : undefined;
      if (property.type !== "Property" || name === undefined) {
        throw new Error(`not a property with a name, at ${property.start}`);
      }
      return [name, property.value];
    }),
  );
}

function nameOf(key: Expression | PrivateIdentifier | SpreadElement): string | undefined {
  return key.type === "Identifier" ? key.name : undefined;
}

function literalOf(value: Expression | undefined): unknown {
  return value?.type === "Literal" ? value.value : undefined;
}
