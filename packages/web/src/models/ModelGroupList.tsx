import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import type { ModelInfo } from './model-answers.ts';
import type { ModelGroup } from './model-filter.ts';
import { hindranceOf, priceOf, problemOf, providerName, takesNoMoney, windowOf } from './model-words.ts';

interface ModelGroupListProps {
  id: string;
  groups: readonly ModelGroup[];
  /** The rows above the models, and how many they are. */
  above: ReactNode;
  start: number;
  current: ModelInfo | undefined;
  isChosen: (model: ModelInfo) => boolean;
  isSeveral: boolean;
  onChoose: (model: ModelInfo) => void;
}

/** Models by provider, with facts that help to choose: context, price, and the reason one cannot be asked. */
export function ModelGroupList(props: ModelGroupListProps): ReactElement {
  const { id, groups, above, isSeveral } = props;
  let before = props.start;
  return (
    <div id={id} className="picker-list scroll" role="listbox" aria-label="Models" aria-multiselectable={isSeveral}>
      {above}
      {groups.map((group) => {
        const start = before;
        before += group.models.length;
        return <Group key={group.provider} {...props} group={group} start={start} />;
      })}
    </div>
  );
}

function Group({
  id,
  group,
  start,
  ...props
}: ModelGroupListProps & { group: ModelGroup; start: number }): ReactElement {
  const { provider, info, models } = group;
  const hindrance = info === undefined ? '' : hindranceOf(info) || problemOf(info);
  return (
    <div role="group" aria-label={providerName(provider)}>
      <div className="picker-provider" role="presentation">
        {providerName(provider)}
        {hindrance !== '' && <span title={info?.problem?.message}> · {hindrance}</span>}
      </div>
      {models.map((model, index) => (
        <ModelRow
          key={model.name}
          id={`${id}-${start + index}`}
          model={model}
          isLocal={info !== undefined && takesNoMoney(info)}
          {...props}
        />
      ))}
    </div>
  );
}

interface ModelRowProps extends Omit<ModelGroupListProps, 'groups' | 'above' | 'start'> {
  id: string;
  model: ModelInfo;
  isLocal: boolean;
}

function ModelRow({ id, model, isLocal, current, isChosen, isSeveral, onChoose }: ModelRowProps): ReactElement {
  const chosen = isChosen(model);
  return (
    <div
      id={id}
      className={model === current ? 'picker-row picker-row-current' : 'picker-row'}
      role="option"
      aria-selected={chosen}
      aria-disabled={!model.usable}
      title={model.about}
      ref={model === current ? (row) => row?.scrollIntoView({ block: 'nearest' }) : undefined}
      // The search field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onChoose(model)}
    >
      <span className={isSeveral ? 'picker-box' : 'picker-tick'}>{chosen && <Icon name="check" small />}</span>
      <span className="picker-name cut">{model.provider === 'demo' ? model.name : model.model}</span>
      <span className="grow cut picker-about">{model.about}</span>
      <span className="picker-fact figures">{windowOf(model) ?? ''}</span>
      <span className="picker-fact picker-price figures">{model.usable ? priceOf(model, isLocal) : 'Add a key'}</span>
    </div>
  );
}
