package rt
