// Parses an AsyncAPI document with the specification's own parser, and fails on errors.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(process.argv[3] + '/');
const { Parser } = require('@asyncapi/parser');
const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], 'utf8'));
for (const d of diagnostics) console.log(['error', 'warning', 'info', 'hint'][d.severity], d.path.join('.'), d.message);
if (!document || diagnostics.some((d) => d.severity === 0)) process.exit(1);
const names = document.allMessages().all().map((m) => m.name()).sort();
console.log(`${process.argv[2]}: AsyncAPI ${document.version()}, ${names.length} messages: ${names.join(', ')}`);
