/** The code of the repository as TypeScript's own checker sees it: syntax trees and types. */
import path from 'node:path'
import { API } from 'typescript/unstable/sync'
import { root } from '../workspace.mjs'

/**
 * @typedef {import('typescript/unstable/ast').Node} Node
 * @typedef {import('typescript/unstable/ast').SourceFile} SyntaxTree
 * @typedef {import('typescript/unstable/sync').Checker} Checker
 */

/**
 * @typedef {object} Source one file of the repository
 * @property {string} file path below the repository's folder
 * @property {SyntaxTree} tree
 * @property {Checker} checker knows the types of `tree`
 */

/** @typedef {{ file: string, line: number, says: string }} Violation `line` counts from 1 */

/**
 * Reads every file of these folders, one after the other.
 * @param {readonly string[]} folders with a tsconfig.json each
 * @returns {Generator<Source>}
 */
export function* sources(folders) {
  const api = new API({ cwd: root })
  try {
    for (const folder of folders) {
      const config = path.join(root, folder, 'tsconfig.json')
      const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
      if (!project) throw new Error(`TypeScript found no project at ${config}`)
      const { program, checker } = project
      for (const place of program.getSourceFileNames()) {
        const file = path.relative(root, place)
        if (!file.startsWith(`${folder}/`) || file.includes('node_modules/')) continue
        const tree = program.getSourceFile(place)
        if (tree) yield { file, tree, checker }
      }
    }
  } finally {
    api.close()
  }
}

/** Every node below this one, parents first. @param {Node} node @returns {Generator<Node>} */
export function* nodesOf(node) {
  /** @type {Node[]} */
  const waiting = [node]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    yield one
    one.forEachChild((child) => {
      waiting.push(child)
    })
  }
}

/** @param {Source} source @param {Node} node @param {string} says what is wrong and what to do @returns {Violation} */
export function violation({ file, tree }, node, says) {
  return { file, line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1, says }
}

/** Test files, and what only tests import: `testing/` folders and the whole of `acceptance/`. @param {string} file */
export function isTestCode(file) {
  return /\.test\.tsx?$/.test(file) || file.includes('/testing/') || file.startsWith('acceptance/')
}
