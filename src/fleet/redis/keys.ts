// The keys, which begin with the namespace. Its braces keep them on one server where keys are spread over several.
//
//   {crec}:version          the version of what follows
//   {crec}:lease:KEY        a hash: epoch, state, revision (of the last save with this epoch), and while a copy has the
//                           lease: id, name, renewed, ends. It has no time to live, so that its epoch never goes back.
//   {crec}:once:[SCOPE,KEY] the first delivery, or nothing; and after a line break the digest, if there is one. It has the
//                           time to live of the mark.
//   {crec}:record:[SCOPE,KEY]
//                           a hash: revision, text. It has the time to live of the record.
//   {crec}:records:SCOPE    a sorted set of [KEY, name] of the records of a scope, by the time until which they are kept
//   {crec}:members:GROUP    a sorted set of [id, name] of the copies, by the time until which they are alive

export const versionKey = (namespace: string) => `{${namespace}}:version`;
export const leaseKey = (namespace: string, key: string) => `{${namespace}}:lease:${key}`;
export const onceKey = (namespace: string, scope: string, key: string) =>
  `{${namespace}}:once:${JSON.stringify([scope, key])}`;
export const recordKey = (namespace: string, scope: string, key: string) =>
  `{${namespace}}:record:${JSON.stringify([scope, key])}`;
export const recordsKey = (namespace: string, scope: string) => `{${namespace}}:records:${scope}`;
export const membersKey = (namespace: string, group: string) => `{${namespace}}:members:${group}`;
