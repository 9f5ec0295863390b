import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { NavigatorButton } from '../app/TopBar.tsx';
import { useStore } from '../stores/use-store.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { useMay } from '../work/use-may.ts';
import { AccessSection } from './AccessSection.tsx';
import { AgentsSection } from './AgentsSection.tsx';
import { GeneralSection } from './GeneralSection.tsx';
import { ImportSection } from './ImportSection.tsx';
import { ModelsSection } from './ModelsSection.tsx';
import { DecisionsSection, PermissionsSection } from './PermissionsSection.tsx';
import { PresetsSection } from './PresetsSection.tsx';
import { PromptsSection } from '../prompts/PromptsSection.tsx';
import { SharesSection } from '../sharing/SharesSection.tsx';
import { StorageSection } from './StorageSection.tsx';
import { ToolsSection } from './ToolsSection.tsx';

const sections: readonly {
  name: string;
  title: string;
  Section: () => ReactElement;
  isPartOf?: string;
  isOfOwners?: true;
}[] = [
  { name: 'general', title: 'General', Section: GeneralSection },
  { name: 'models', title: 'Models', Section: ModelsSection },
  { name: 'agents', title: 'Agents', Section: AgentsSection },
  { name: 'presets', title: 'Presets', Section: PresetsSection },
  { name: 'tools', title: 'Tools and servers', Section: ToolsSection, isOfOwners: true },
  { name: 'prompts', title: 'Prompts', Section: PromptsSection },
  { name: 'permissions', title: 'Permissions', Section: PermissionsSection, isOfOwners: true },
  { name: 'decisions', title: 'Decision history', Section: DecisionsSection, isPartOf: 'permissions' },
  { name: 'import', title: 'Import', Section: ImportSection },
  { name: 'storage', title: 'Storage', Section: StorageSection },
  { name: 'access', title: 'People and access', Section: AccessSection },
  { name: 'shares', title: 'Shared links', Section: SharesSection },
];

/** The settings of this browser, and of the data folder. */
export function SettingsPage(): ReactElement {
  const place = useStore(useLoom().place);
  const mayPermit = useMay('permission.list') === true;
  const wanted = place.name === 'settings' ? place.section : undefined;
  const {
    name: current,
    title,
    Section,
    isPartOf,
  } = sections.find(({ name }) => name === wanted) ?? sections[0] ?? missing;
  return (
    <main id="main" tabIndex={-1} className="main">
      <header className="top-bar only-narrow-bar">
        <NavigatorButton />
        <h1>Settings</h1>
      </header>
      <div className="settings scroll" tabIndex={0} role="region" aria-label="Settings">
        <div className="settings-column">
          <nav className="settings-nav" aria-label="Settings">
            <h1>Settings</h1>
            {sections
              .filter(({ isPartOf: part, isOfOwners }) => part === undefined && (isOfOwners === undefined || mayPermit))
              .map((section) => (
                <PlaceLink
                  key={section.name}
                  place={{ name: 'settings', section: section.name }}
                  isCurrent={section.name === (isPartOf ?? current)}
                >
                  {section.title}
                </PlaceLink>
              ))}
          </nav>
          <section className="settings-body" aria-label={title}>
            <Section key={current} />
          </section>
        </div>
      </div>
    </main>
  );
}

const missing: (typeof sections)[number] = { name: 'general', title: 'General', Section: GeneralSection };
