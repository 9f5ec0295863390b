/** The sections of the help of `loom`, with the names of their commands. */
export const sections = [
  { title: 'Talk', names: ['chat', 'prompt', 'models', 'agents', 'login', 'logout', 'demo'] },
  { title: 'Act', names: ['run', 'board', 'tools', 'servers', 'approvals'] },
  {
    title: 'Look',
    names: ['ls', 'projects', 'tree', 'show', 'search', 'read', 'history', 'diff', 'inspect', 'blame', 'log'],
  },
  {
    title: 'Change',
    names: [
      'edit',
      'draft',
      'undo',
      'redo',
      'rm',
      'restore',
      'bookmark',
      'mark',
      'pin',
      'title',
      'edit-lines',
      'patch',
    ],
  },
  { title: 'Exchange', names: ['import', 'export', 'discover', 'normalize'] },
  {
    title: 'Data',
    names: ['backup', 'restore-backup', 'doctor', 'du', 'purge', 'secrets', 'migrate', 'export-store', 'import-store'],
  },
  { title: 'Serve', names: ['serve', 'open', 'token', 'tenant', 'share', 'mcp', 'call'] },
  { title: 'Settings', names: ['config', 'help', 'version'] },
];
